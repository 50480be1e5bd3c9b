package io.odfix.workbench;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Tells which names of a class file Java source can hold. In a class file a name may be nearly any
 * text, and a pull request may contain class files. Every name that becomes part of a statement
 * passes here first.
 */
final class SourceNames {
  private static final Pattern TYPE = Pattern.compile("\\[*(?:[ZCBSIJFD]|L([^;]*);)");

  private SourceNames() {}

  /** Whether it is the internal name of a class that source can name. */
  static boolean isType(String internal) {
    return Arrays.stream(internal.split("/", -1)).allMatch(SourceNames::isIdentifier);
  }

  /** Whether it can be the simple name of a class, a field or a method. */
  static boolean isIdentifier(String name) {
    return Types.isName(name) && name.indexOf('.') < 0 && Character.isJavaIdentifierStart(name.charAt(0));
  }

  /** Whether source can name all types of a field's or method's descriptor. */
  static boolean isDescriptor(String descriptor) {
    int close = descriptor.indexOf(')');
    if (!descriptor.startsWith("(")) {
      return types(descriptor) == 1;
    }
    String result = descriptor.substring(close + 1);
    return close > 0 && types(descriptor.substring(1, close)) >= 0 && (result.equals("V") || types(result) == 1);
  }

  /** The number of types in a part of a descriptor; -1 if one of them is none that source can name. */
  private static int types(String part) {
    Matcher m = TYPE.matcher(part);
    int count = 0;
    for (int at = 0; at < part.length(); at = m.end()) {
      if (!m.region(at, part.length()).lookingAt() || m.group(1) != null && !isType(m.group(1))) {
        return -1;
      }
      count++;
    }
    return count;
  }
}
