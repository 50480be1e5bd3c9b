package io.odfix.workbench;

import com.github.javaparser.JavaParser;
import com.github.javaparser.ParseResult;
import com.github.javaparser.ParserConfiguration;
import com.github.javaparser.Position;
import com.github.javaparser.ast.CompilationUnit;
import com.github.javaparser.ast.Node;
import com.github.javaparser.ast.expr.SimpleName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.StandardCharsets;
import java.nio.charset.UnsupportedCharsetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * One Java file as it is on disk: its exact text, how it was encoded, and its syntax tree.
 * The tree is for reading; every change is made to the text at offsets taken from the tree.
 */
final class Source {
  static final int MAX_BYTES = 8 << 20;

  final Path path;
  final String text;
  final Charset charset;
  final boolean bom;
  final String eol;
  final CompilationUnit unit;
  private final int[] lines;

  private Source(Path path, String text, Charset charset, boolean bom) {
    this.path = path;
    this.text = text;
    this.charset = charset;
    this.bom = bom;
    this.lines = lineStarts(text);
    this.eol = lineEnd(text);
    this.unit = parse(path, text);
  }

  /** Reads and parses a file. An empty encoding means UTF-8. */
  static Source read(Path path, String encoding) {
    byte[] bytes;
    try {
      if (Files.size(path) > MAX_BYTES) {
        throw new Problem("too-large", path + " is larger than " + (MAX_BYTES >> 20)
            + " MB; odfix does not edit sources of that size");
      }
      bytes = Files.readAllBytes(path);
    } catch (IOException e) {
      throw new Problem("unreadable", "cannot read " + path + ": " + e.getMessage());
    }
    Charset charset = charset(encoding);
    boolean bom = charset.equals(StandardCharsets.UTF_8) && bytes.length >= 3
        && (bytes[0] & 0xff) == 0xef && (bytes[1] & 0xff) == 0xbb && (bytes[2] & 0xff) == 0xbf;
    byte[] content = bom ? Arrays.copyOfRange(bytes, 3, bytes.length) : bytes;
    String text = decode(content, charset);
    if (text == null) {
      // javac only warns here and continues. Latin-1 maps every byte to one character and back, so
      // an edit preserves all other bytes.
      charset = StandardCharsets.ISO_8859_1;
      text = decode(content, charset);
    }
    return new Source(path, text, charset, bom);
  }

  static Source of(Path path, String text) {
    return new Source(path, text, StandardCharsets.UTF_8, false);
  }

  private static Charset charset(String encoding) {
    if (encoding == null || encoding.isEmpty()) {
      return StandardCharsets.UTF_8;
    }
    try {
      return Charset.forName(encoding);
    } catch (IllegalCharsetNameException | UnsupportedCharsetException e) {
      throw new Problem("encoding", "this JDK knows no encoding called \"" + encoding
          + "\"; check project.build.sourceEncoding");
    }
  }

  private static String decode(byte[] bytes, Charset charset) {
    try {
      return charset.newDecoder().onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT).decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      return null;
    }
  }

  /** The bytes to write for a new text of this file, with its encoding and byte order mark. */
  byte[] encode(String changed) {
    ByteBuffer b;
    try {
      b = charset.newEncoder().onMalformedInput(CodingErrorAction.REPORT)
          .onUnmappableCharacter(CodingErrorAction.REPORT).encode(CharBuffer.wrap(changed));
    } catch (CharacterCodingException e) {
      throw new Problem("encoding", "the statements hold characters that " + path.getFileName()
          + " cannot hold in its encoding " + charset.name());
    }
    byte[] out = new byte[(bom ? 3 : 0) + b.remaining()];
    if (bom) {
      out[0] = (byte) 0xef;
      out[1] = (byte) 0xbb;
      out[2] = (byte) 0xbf;
    }
    b.get(out, bom ? 3 : 0, b.remaining());
    return out;
  }

  private static CompilationUnit parse(Path path, String text) {
    ParseResult<CompilationUnit> result;
    try {
      // The raw mode accepts the syntax of every level, except "yield", which old code uses as a
      // name.
      result = parse(text, ParserConfiguration.LanguageLevel.RAW);
      if (!result.isSuccessful() && text.contains("yield")) {
        ParseResult<CompilationUnit> modern = parse(text, ParserConfiguration.LanguageLevel.BLEEDING_EDGE);
        result = modern.isSuccessful() ? modern : result;
      }
    } catch (StackOverflowError e) {
      throw new Problem("unparsable", path + " is nested too deeply to be read");
    }
    if (!result.isSuccessful() || !result.getResult().isPresent()) {
      String why = result.getProblems().isEmpty() ? "" : ": " + result.getProblem(0).getVerboseMessage();
      int cut = why.indexOf('\n');
      throw new Problem("unparsable", path + " cannot be read as Java" + (cut < 0 ? why : why.substring(0, cut)));
    }
    dropTokens(result.getResult().get());
    return result.getResult().get();
  }

  /** Tokens take several times the memory of the tree, and nothing is printed from them here. */
  private static void dropTokens(Node n) {
    n.getRange().ifPresent(r -> {
      n.setTokenRange(null);
      n.setRange(r);
    });
    n.getComment().ifPresent(Source::dropTokens);
    n.getChildNodes().forEach(Source::dropTokens);
  }

  private static ParseResult<CompilationUnit> parse(String text, ParserConfiguration.LanguageLevel level) {
    return new JavaParser(new ParserConfiguration().setLanguageLevel(level)).parse(text);
  }

  int offset(Position p) {
    return lines[p.line - 1] + p.column - 1;
  }

  int start(Node n) {
    return offset(n.getRange().get().begin);
  }

  /** Offset directly after the node. */
  int end(Node n) {
    if (n instanceof SimpleName && text.startsWith(((SimpleName) n).getIdentifier(), start(n))) {
      return start(n) + ((SimpleName) n).getIdentifier().length(); // the parser counts the brackets of "x[]" in
    }
    return offset(n.getRange().get().end) + 1;
  }

  String text(Node n) {
    return text.substring(start(n), end(n));
  }

  /** One-based line of an offset. */
  int line(int offset) {
    int i = Arrays.binarySearch(lines, offset);
    return i >= 0 ? i + 1 : -i - 1;
  }

  /** Offset of the start of the offset's line. */
  int lineStart(int offset) {
    return lines[line(offset) - 1];
  }

  /** Offset at which the next line begins, or the end of the text. */
  int nextLine(int offset) {
    int l = line(offset);
    return l < lines.length ? lines[l] : text.length();
  }

  /** The white space with which the offset's line begins. */
  String indent(int offset) {
    int from = lineStart(offset);
    int to = from;
    while (to < text.length() && (text.charAt(to) == ' ' || text.charAt(to) == '\t')) {
      to++;
    }
    return text.substring(from, to);
  }

  /** Whether only white space precedes the offset on its line. */
  boolean firstOnLine(int offset) {
    return lineStart(offset) + indent(offset).length() >= offset;
  }

  private static int[] lineStarts(String s) {
    int[] starts = new int[64];
    int n = 1;
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      boolean crlf = c == '\r' && i + 1 < s.length() && s.charAt(i + 1) == '\n';
      if (c == '\n' || (c == '\r' && !crlf)) {
        if (n == starts.length) {
          starts = Arrays.copyOf(starts, n * 2);
        }
        starts[n++] = i + 1;
      }
    }
    return Arrays.copyOf(starts, n);
  }

  /** The most frequent line end. A file of one line gets a plain line feed. */
  private static String lineEnd(String s) {
    int crlf = 0;
    int lf = 0;
    int cr = 0;
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c == '\n') {
        if (i > 0 && s.charAt(i - 1) == '\r') {
          crlf++;
        } else {
          lf++;
        }
      } else if (c == '\r' && (i + 1 == s.length() || s.charAt(i + 1) != '\n')) {
        cr++;
      }
    }
    if (crlf > lf) {
      return "\r\n";
    }
    return cr > lf ? "\r" : "\n";
  }
}
