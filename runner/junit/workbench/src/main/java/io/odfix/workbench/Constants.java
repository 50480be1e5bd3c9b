package io.odfix.workbench;

import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** Plain values as Java source. */
final class Constants {
  private static final int LONGEST = 200;

  private Constants() {}

  /** The source of a constant; null if it has none. descriptor, if known, is the type's. */
  static String text(Object value, String descriptor) {
    if (value instanceof String) {
      return quoted((String) value);
    }
    if (value instanceof Type) {
      Type t = (Type) value;
      boolean named = t.getSort() == Type.OBJECT && SourceNames.isType(t.getInternalName());
      return named ? CompiledClass.sourceName(t.getInternalName()) + ".class" : null;
    }
    if (value instanceof Long) {
      return value + "L";
    }
    if (value instanceof Float || value instanceof Double) {
      double d = ((Number) value).doubleValue();
      return Double.isNaN(d) || Double.isInfinite(d) ? null : value + (value instanceof Float ? "f" : "");
    }
    return value instanceof Integer ? number((Integer) value, descriptor) : null;
  }

  /** An int as a value of its type. */
  static String number(int n, String descriptor) {
    if ("Z".equals(descriptor)) {
      return n == 0 ? "false" : "true";
    }
    if ("C".equals(descriptor)) {
      return "'" + escaped((char) n, '\'') + "'";
    }
    return String.valueOf(n);
  }

  /** The value that an instruction without operands pushes, or null. */
  static String of(int opcode) {
    if (opcode == Opcodes.ACONST_NULL) {
      return "null";
    }
    if (opcode >= Opcodes.ICONST_M1 && opcode <= Opcodes.ICONST_5) {
      return String.valueOf(opcode - Opcodes.ICONST_0);
    }
    if (opcode == Opcodes.LCONST_0 || opcode == Opcodes.LCONST_1) {
      return opcode - Opcodes.LCONST_0 + "L";
    }
    if (opcode >= Opcodes.FCONST_0 && opcode <= Opcodes.FCONST_2) {
      return opcode - Opcodes.FCONST_0 + "f";
    }
    return opcode == Opcodes.DCONST_0 || opcode == Opcodes.DCONST_1 ? opcode - Opcodes.DCONST_0 + ".0" : null;
  }

  /** The string as a literal in plain ASCII; null if it is too long for a patch. */
  static String quoted(String s) {
    if (s.length() > LONGEST) {
      return null;
    }
    StringBuilder b = new StringBuilder("\"");
    for (char c : s.toCharArray()) {
      b.append(escaped(c, '"'));
    }
    return b.append('"').toString();
  }

  private static String escaped(char c, char quote) {
    if (c == quote || c == '\\') {
      return "\\" + c;
    }
    int at = "\n\r\t\b\f\0".indexOf(c);
    if (at >= 0) {
      return new String[] {"\\n", "\\r", "\\t", "\\b", "\\f", "\\0"}[at];
    }
    return c < ' ' || c > '~' ? String.format("\\u%04x", (int) c) : String.valueOf(c);
  }
}
