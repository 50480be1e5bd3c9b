package io.odfix.workbench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.objectweb.asm.Type;

/**
 * A value as the description of a difference names it ({@code "vdm"}, {@code 5}, {@code FAST},
 * {@code VdmParser}), and its source for a parameter's type.
 */
final class DescribedValue {
  static final String ABSENT = "absent";
  /** The description may have been cut if it is at least this long. */
  private static final int WHOLE = 99;
  /** The maximal number of classes of one name in different packages that are tried. */
  private static final int NAMESAKES = 3;
  private static final List<String> NUMBERS = Arrays.asList("java.lang.Object", "java.lang.Number", "java.lang.Comparable", "java.io.Serializable");
  private static final List<String> TEXTS = Arrays.asList("java.lang.String", "java.lang.Object", "java.lang.CharSequence",
      "java.lang.Comparable", "java.io.Serializable");

  private final ClassGraph graph;
  private final Values values;
  private final String text;
  /** Classes and constants of that name, looked for once among all. */
  private List<CompiledClass> called;
  private List<String> constants;

  DescribedValue(ClassGraph graph, Values values, String text) {
    this.graph = graph;
    this.values = values;
    this.text = text == null ? "" : text;
  }

  /**
   * Sources of the value as a value of this type. None if it is not of this type, or cannot be
   * written as source.
   */
  List<String> as(Type type) {
    if (text.equals(ABSENT) || text.isEmpty()) {
      return Collections.emptyList();
    }
    String one = text.equals("null") ? (primitive(type) ? null : "null") : plain(type);
    if (one != null) {
      return Collections.singletonList(one);
    }
    return type.getSort() == Type.OBJECT && Types.isName(text) ? named(type) : Collections.emptyList();
  }

  private static boolean primitive(Type type) {
    return type.getSort() < Type.ARRAY;
  }

  private String plain(Type type) {
    String name = type.getClassName();
    if (text.length() > 1 && text.startsWith("\"") && text.endsWith("\"")) {
      String value = TEXTS.contains(name) ? unescaped(text.substring(1, text.length() - 1)) : null;
      return value == null || cut() ? null : Constants.quoted(value);
    }
    if (text.length() > 2 && text.startsWith("'") && text.endsWith("'")) {
      String value = unescaped(text.substring(1, text.length() - 1));
      boolean fits = name.equals("char") || name.equals("java.lang.Character") || name.equals("java.lang.Object");
      return fits && value != null && value.length() == 1 ? Constants.number(value.charAt(0), "C") : null;
    }
    if (text.equals("true") || text.equals("false")) {
      return name.equals("boolean") || name.equals("java.lang.Boolean") || name.equals("java.lang.Object") ? text : null;
    }
    return text.matches("-?\\d{1,19}(\\.\\d+)?(E-?\\d+)?") ? number(name) : null;
  }

  private boolean cut() {
    return text.length() >= WHOLE && text.contains("\u2026");
  }

  private String number(String type) {
    boolean whole = text.matches("-?\\d+");
    boolean small = whole && text.length() < 10;
    switch (type) {
      case "double": case "java.lang.Double":
        return whole ? text + ".0" : text;
      case "float": case "java.lang.Float":
        return text + "f";
      case "long": case "java.lang.Long":
        return whole ? text + "L" : null;
      case "int": case "java.lang.Integer":
        return whole && text.length() < 12 ? text : null;
      case "short": case "java.lang.Short":
        return small ? "(short) " + text : null;
      case "byte": case "java.lang.Byte":
        return small ? "(byte) " + text : null;
      default:
        return NUMBERS.contains(type) ? (whole && !small ? text + "L" : text) : null;
    }
  }

  /** A constant of an enum, a class, or an object of a class that can be constructed or got. */
  private List<String> named(Type type) {
    CompiledClass of = graph.find(type.getInternalName());
    CompiledClass.Field constant = of == null ? null : of.fields.get(text);
    if (constant != null && constant.isStatic() && constant.descriptor.equals(type.getDescriptor()) && values.visible(of, constant.access)) {
      return Collections.singletonList(of.source() + "." + text);
    }
    boolean any = type.getClassName().equals("java.lang.Object");
    List<String> out = new ArrayList<>();
    if (any) {
      constants().stream().limit(1).forEach(out::add);
    }
    for (CompiledClass named : called()) {
      if (any || type.getClassName().equals("java.lang.Class")) {
        out.add(named.source() + ".class");
      }
      if (any || graph.isA(named.name, type.getInternalName())) {
        values.of(named.name).stream().limit(1).forEach(v -> out.add(v.text));
      }
    }
    return out;
  }

  /** Constants of enums with that name. */
  private List<String> constants() {
    if (constants == null) {
      constants = new ArrayList<>();
      for (CompiledClass c : graph.all()) {
        CompiledClass.Field f = "java/lang/Enum".equals(c.parent) ? c.fields.get(text) : null;
        if (f != null && f.descriptor.equals("L" + c.name + ";") && values.visible(c, f.access)) {
          constants.add(c.source() + "." + text);
        }
      }
    }
    return constants;
  }

  /** Classes with that name. A description has no package. */
  private List<CompiledClass> called() {
    if (called == null) {
      called = new ArrayList<>();
      for (CompiledClass c : graph.all()) {
        boolean same = c.source().equals(text) || c.source().endsWith("." + text);
        if (same && values.visible(c) && called.size() < NAMESAKES) {
          called.add(c);
        }
      }
    }
    return called;
  }

  /** The text without escapes; null if an escape is invalid. */
  static String unescaped(String s) {
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < s.length(); i++) {
      char c = s.charAt(i);
      if (c != '\\') {
        out.append(c);
        continue;
      }
      char next = ++i < s.length() ? s.charAt(i) : ' ';
      int at = "nt\"\\".indexOf(next);
      if (at >= 0) {
        out.append("\n\t\"\\".charAt(at));
      } else if (next == 'u' && s.substring(i + 1).matches("(?s)[0-9a-fA-F]{4}.*")) {
        out.append((char) Integer.parseInt(s.substring(i + 1, i + 5), 16));
        i += 4;
      } else {
        return null;
      }
    }
    return out.toString();
  }
}
