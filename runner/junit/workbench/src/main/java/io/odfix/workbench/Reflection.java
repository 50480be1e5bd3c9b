package io.odfix.workbench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.objectweb.asm.Type;

/**
 * Fields that a test can only reach by reflection. Their statements name a private field, which its
 * author may rename. They are therefore offered only on request.
 */
final class Reflection {
  /** How much less likely these statements are than others. */
  static final int PRICE = 40;

  private static final Pattern GIVES = Pattern.compile("\\)\\.(put|add|set|putAll|addAll)\\(");
  private static final String SPRING = "org.springframework.test.util.ReflectionTestUtils";

  /**
   * A field found by reflection: the token for it in a statement, and the statements that must come
   * before.
   */
  private static final class Reached {
    final String token;
    final List<String> lead;

    Reached(String token, List<String> lead) {
      this.token = token;
      this.lead = lead;
    }
  }

  private final Values values;
  private final boolean spring;
  private final List<Reached> reached = new ArrayList<>();
  /** Local variables for fields, by the fields' keys. */
  private final Map<String, String> variables = new HashMap<>();

  Reflection(Types types, Values values) {
    this.values = values;
    this.spring = types.find(SPRING) != null;
  }

  /** Clears the fields, because another statement begins. */
  void begin() {
    reached.clear();
    variables.clear();
  }

  /**
   * An expression for the field's value. on is an expression for the field's owner, or null if the
   * field is static.
   */
  Values.Value get(CompiledClass.Field field, String on) {
    String got;
    if (spring) {
      got = SPRING + ".getField(" + holder(field, on) + ", " + Constants.quoted(field.name) + ")";
      reached.add(new Reached(got, Collections.emptyList()));
    } else {
      got = open(field) + ".get(" + on + ")";
    }
    String type = type(field);
    return new Values.Value(type == null ? got : "((" + type + ") " + got + ")", 0);
  }

  /** The statement that gives the field a value. */
  String set(CompiledClass.Field field, String on, String value) {
    if (spring) {
      String set = SPRING + ".setField(" + holder(field, on) + ", " + Constants.quoted(field.name) + ", " + value + ");";
      reached.add(new Reached(set, Collections.emptyList()));
      return set;
    }
    return open(field) + ".set(" + on + ", " + value + ");";
  }

  /**
   * The statements that must come before a statement. Null if it uses no field found by reflection.
   */
  List<String> lead(String statement) {
    List<String> out = new ArrayList<>();
    boolean uses = false;
    for (int i = reached.size() - 1; i >= 0; i--) {
      Reached r = reached.get(i);
      if (uses(statement, r.token) || out.stream().anyMatch(s -> uses(s, r.token))) {
        uses = true;
        out.addAll(0, r.lead);
      }
    }
    return uses ? out : null;
  }

  /** Whether the text contains the token as a separate word. */
  private static boolean uses(String text, String token) {
    for (int at = text.indexOf(token); at >= 0; at = text.indexOf(token, at + 1)) {
      if (at == 0 || !Character.isJavaIdentifierPart(text.charAt(at - 1))) {
        return true;
      }
    }
    return false;
  }

  /**
   * The statement in a form that compiles. A container with unknown type arguments accepts elements
   * only as a raw type.
   */
  static String giving(String statement) {
    return GIVES.matcher(statement).find() ? statement.replaceAll("<\\?(, \\?)*>", "") : statement;
  }

  /** A local variable for the field. */
  private String open(CompiledClass.Field field) {
    String name = variables.get(field.key());
    if (name != null) {
      return name;
    }
    name = variable(field.name);
    for (int n = 2; variables.containsValue(name); n++) {
      name = variable(field.name) + n;
    }
    variables.put(field.key(), name);
    reached.add(new Reached(name + ".", Arrays.asList(
        "java.lang.reflect.Field " + name + " = " + literal(field.owner) + ".getDeclaredField(" + Constants.quoted(field.name) + ");",
        name + ".setAccessible(true);")));
    return name;
  }

  private static String variable(String field) {
    StringBuilder b = new StringBuilder();
    boolean shouts = field.equals(field.toUpperCase(java.util.Locale.ROOT));
    for (String part : (shouts ? field.toLowerCase(java.util.Locale.ROOT) : field).split("[_$]+")) {
      b.append(b.length() == 0 || part.isEmpty() ? part : Character.toUpperCase(part.charAt(0)) + part.substring(1));
    }
    return b.append(b.length() == 0 ? "field" : "Field").toString();
  }

  private String holder(CompiledClass.Field field, String on) {
    return on == null ? literal(field.owner) : on;
  }

  private String literal(CompiledClass c) {
    return values.visible(c) ? c.source() + ".class" : "Class.forName(" + Constants.quoted(c.name.replace('/', '.')) + ")";
  }

  /**
   * The field's type as written in a cast, with wildcards as its arguments. Null if it cannot be
   * named.
   */
  private String type(CompiledClass.Field field) {
    Type t = Type.getType(field.descriptor);
    Type element = t.getSort() == Type.ARRAY ? t.getElementType() : t;
    if (element.getSort() == Type.OBJECT && !values.nameable(element.getInternalName())) {
      return null;
    }
    return t.getClassName().replace('$', '.') + (t.getSort() == Type.OBJECT ? wildcards(field.generic) : "");
  }

  private static String wildcards(String generic) {
    int at = generic == null ? -1 : generic.indexOf('<');
    if (at < 0) {
      return "";
    }
    StringBuilder b = new StringBuilder("<?");
    int depth = 0;
    for (char c : generic.substring(at).toCharArray()) {
      depth += c == '<' ? 1 : c == '>' ? -1 : 0;
      if (c == ',' && depth == 1) {
        b.append(", ?");
      }
    }
    return b.append('>').toString();
  }
}
