package io.odfix.workbench;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Type;

/**
 * Expressions for a type that code in certain packages can write, as the object or the argument of
 * a call.
 */
final class Values {
  /** An expression. A lower price means that a person is likelier to write it. */
  static final class Value {
    final String text;
    final int price;
    /** For arguments: all of them come from the known differences. */
    final boolean exact;

    Value(String text, int price) {
      this(text, price, false);
    }

    Value(String text, int price, boolean exact) {
      this.text = text;
      this.price = price;
      this.exact = exact;
    }
  }

  private static final int MOST = 6;
  private static final Map<String, String> MAKES = new HashMap<>();

  static {
    MAKES.put("java.util.List", "new java.util.ArrayList<>()");
    MAKES.put("java.util.Collection", "new java.util.ArrayList<>()");
    MAKES.put("java.util.Set", "new java.util.HashSet<>()");
    MAKES.put("java.util.Map", "new java.util.HashMap<>()");
    MAKES.put("java.util.Properties", "new java.util.Properties()");
  }

  private final ClassGraph graph;
  private final Set<String> packages;
  private final List<String> strings;
  private final List<DescribedValue> words = new ArrayList<>();
  private final Map<String, List<String>> used = new HashMap<>();
  private final Map<String, List<Value>> known = new LinkedHashMap<>();

  /** packages: the packages whose code is written. strings: literals of the tests. */
  Values(ClassGraph graph, Set<String> packages, List<String> strings) {
    this.graph = graph;
    this.packages = packages;
    this.strings = strings;
  }

  /** A value that is known to matter. It comes before all others. */
  void known(DescribedValue word) {
    words.add(word);
  }

  /** A value that a test mentions, for parameters of the type of that descriptor. */
  void used(String descriptor, String text) {
    List<String> all = used.computeIfAbsent(descriptor, k -> new ArrayList<>());
    if (all.size() < MOST && !all.contains(text)) {
      all.add(text);
    }
  }

  /** Whether a class can be named from one of the packages. */
  boolean visible(CompiledClass c) {
    if (c == null || c.anonymous || Modifier.isPrivate(c.access)) {
      return false;
    }
    boolean here = packages.contains(c.pkg());
    if (!here && !Modifier.isPublic(c.access)) {
      return false;
    }
    return c.outer == null || graph.find(c.outer) == null || visible(graph.find(c.outer));
  }

  /** Whether a class can be named from one of the packages, or is the JDK's. */
  boolean nameable(String internal) {
    CompiledClass c = graph.find(internal);
    return c == null || visible(c);
  }

  /** Whether a member can be used from one of the packages. */
  boolean visible(CompiledClass owner, int access) {
    return visible(owner) && (Modifier.isPublic(access) || !Modifier.isPrivate(access) && packages.contains(owner.pkg()));
  }

  /**
   * Objects of a class: a static field, an accessor, a constructor. Several of these
   * expressions make new objects.
   */
  List<Value> of(String internal) {
    List<Value> known = this.known.get(internal);
    if (known != null) {
      return known;
    }
    List<Value> out = new ArrayList<>();
    this.known.put(internal, out);
    for (CompiledClass c : graph.all()) {
      boolean home = c.name.equals(internal);
      for (CompiledClass.Field f : c.fields.values()) {
        if (f.isStatic() && f.descriptor.equals("L" + internal + ";") && visible(c, f.access)) {
          out.add(new Value(c.source() + "." + f.name, home ? 0 : 3));
        }
      }
      for (CompiledClass.Method m : c.methods) {
        boolean gives = m.isStatic() && m.descriptor.equals("()L" + internal + ";") && visible(c, m.access);
        if (gives && !m.annotated) {
          out.add(new Value(c.source() + "." + m.name + "()", home ? 1 : 4));
        }
      }
    }
    made(internal, out);
    out.sort((a, b) -> a.price - b.price);
    return out;
  }

  private void made(String internal, List<Value> out) {
    CompiledClass c = graph.find(internal);
    if (c == null || Modifier.isAbstract(c.access) || c.inner && c.outer != null || !visible(c)) {
      return;
    }
    for (CompiledClass.Method m : c.methods) {
      if (m.constructs() && visible(c, m.access)) {
        arguments(m, null).stream().limit(2).forEach(a -> out.add(new Value("new " + c.source() + a.text, 4 + a.price)));
      }
    }
  }

  /**
   * Lists of arguments in parentheses, cheapest first; none if a parameter's type has no value.
   * given is an expression for parameters of the field's type: its first value.
   */
  List<Value> arguments(CompiledClass.Method m, Map<String, String> given) {
    List<Value> lists = Collections.singletonList(new Value("", 0, Type.getArgumentTypes(m.descriptor).length > 0));
    Type[] parameters = Type.getArgumentTypes(m.descriptor);
    if (parameters.length > 4) {
      return new ArrayList<>();
    }
    boolean overloaded = graph.lineage(m.owner).stream().flatMap(c -> c.methods.stream()).filter(
        x -> x.name.equals(m.name) && x != m && Type.getArgumentTypes(x.descriptor).length == parameters.length).count() > 0;
    for (Type p : parameters) {
      List<Value> longer = new ArrayList<>();
      for (Value v : ofParameter(p, given, overloaded)) {
        for (Value l : lists) {
          // A key is rarely its own value, and comes before it.
          int odd = !v.exact || l.text.isEmpty() ? 0 : (", " + l.text + ", ").contains(", " + v.text + ", ") ? 3 : v.price == 0 ? 1 : 0;
          longer.add(new Value(l.text + (l.text.isEmpty() ? "" : ", ") + v.text, l.price + v.price + odd, l.exact && v.exact));
        }
      }
      longer.sort((a, b) -> a.price - b.price);
      lists = longer.subList(0, Math.min(2 * MOST, longer.size()));
    }
    List<Value> out = new ArrayList<>();
    lists.forEach(l -> out.add(new Value("(" + l.text + ")", l.price + parameters.length, l.exact)));
    return out;
  }

  private List<Value> ofParameter(Type p, Map<String, String> given, boolean overloaded) {
    Set<String> texts = new LinkedHashSet<>();
    words.forEach(w -> texts.addAll(w.as(p)));
    int exact = texts.size();
    String first = given == null ? null : given.get(p.getDescriptor());
    if (first != null) {
      texts.add(first);
    }
    texts.addAll(used.getOrDefault(p.getDescriptor(), Collections.emptyList()));
    texts.addAll(usual(p));
    if (p.getSort() == Type.OBJECT && texts.size() - exact < MOST && known.size() < 200) {
      of(p.getInternalName()).stream().limit(2).forEach(v -> texts.add(v.text));
    }
    List<Value> out = new ArrayList<>();
    for (String t : texts) {
      boolean cast = t.equals("null") && overloaded;
      out.add(new Value(cast ? "(" + CompiledClass.sourceName(p.getClassName()) + ") null" : t, out.size(), out.size() < exact));
    }
    return out.subList(0, Math.min(exact + MOST + strings.size(), out.size()));
  }

  private List<String> usual(Type p) {
    switch (p.getSort()) {
      case Type.BOOLEAN:
        return Arrays.asList("false", "true");
      case Type.CHAR:
        return Arrays.asList("' '", "'\\0'");
      case Type.BYTE:
        return Collections.singletonList("(byte) 0");
      case Type.SHORT:
        return Collections.singletonList("(short) 0");
      case Type.INT: case Type.LONG: case Type.FLOAT: case Type.DOUBLE:
        return Arrays.asList("0", "1", "-1");
      case Type.ARRAY:
        return Collections.singletonList("null");
      default:
        return object(p.getClassName());
    }
  }

  private List<String> object(String type) {
    List<String> out = new ArrayList<>();
    if (type.equals("java.lang.String") || type.equals("java.lang.Object") || type.equals("java.lang.CharSequence")) {
      out.addAll(strings);
      out.add("null");
      out.add("\"\"");
      return out;
    }
    out.add("null");
    if (MAKES.containsKey(type)) {
      out.add(MAKES.get(type));
    }
    return out;
  }
}
