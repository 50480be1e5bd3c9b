package io.odfix.workbench;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds unicode escapes that change how a text is divided into statements. javac translates them
 * before it reads anything else: one can end a comment or a literal. The parser here does not
 * translate them.
 */
final class UnicodeEscapes {
  private static final Pattern ESCAPE = Pattern.compile("\\\\u+([0-9a-fA-F]{4})");
  /** Quotation marks, the backslash and line ends. */
  private static final String ENDING = "\"'\\\n\r";

  private final String text;
  private int at;

  private UnicodeEscapes(String text) {
    this.text = text;
  }

  /** Throws a problem if lines that are to be written have such an escape. */
  static void refuse(List<String> lines) {
    if (!areHarmless(String.join("\n", lines).replace(Indent.VERBATIM, ""))) {
      throw new Problem("escape", "has a unicode escape outside of literals, or one of a quotation mark, a backslash or a line end");
    }
  }

  /**
   * Whether all escapes are in literals, and none of them can end its literal. The text begins
   * outside of comments and literals.
   */
  static boolean areHarmless(String text) {
    return !text.contains("\\u") || new UnicodeEscapes(text).read();
  }

  private boolean read() {
    while (at < text.length()) {
      boolean harmless = true;
      if (text.startsWith("//", at)) {
        at = outside(end("\n", end("\r", text.length())));
      } else if (text.startsWith("/*", at)) {
        int close = text.indexOf("*/", at + 2);
        at = outside(close < 0 ? text.length() : close + 2);
      } else if (text.startsWith("\"\"\"", at)) {
        harmless = literal("\"\"\"");
      } else if (text.charAt(at) == '"' || text.charAt(at) == '\'') {
        harmless = literal(text.substring(at, at + 1));
      } else {
        at = outside(at + 1);
      }
      if (!harmless || at < 0) {
        return false;
      }
    }
    return true;
  }

  private int end(String mark, int otherwise) {
    int found = text.indexOf(mark, at);
    return found < 0 ? otherwise : Math.min(found, otherwise);
  }

  /** The end of a part outside of literals; -1 if the part has an escape. */
  private int outside(int end) {
    for (int i = at; i < end; i++) {
      if (text.startsWith("\\u", i)) {
        return -1;
      }
    }
    return end;
  }

  /** Reads a literal; false if one of its escapes may end it. */
  private boolean literal(String quote) {
    at += quote.length();
    while (at < text.length() && !text.startsWith(quote, at)) {
      if (text.startsWith("\\u", at)) {
        Matcher m = ESCAPE.matcher(text).region(at, text.length());
        if (!m.lookingAt() || ENDING.indexOf(Integer.parseInt(m.group(1), 16)) >= 0) {
          return false;
        }
        at = m.end();
      } else {
        at += text.charAt(at) == '\\' ? 2 : 1;
      }
    }
    at += quote.length();
    return true;
  }
}
