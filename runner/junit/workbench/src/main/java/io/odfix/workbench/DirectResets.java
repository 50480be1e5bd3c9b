package io.odfix.workbench;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.objectweb.asm.Type;

/**
 * Statements that undo one known difference at its place. They remove or add an entry again, or
 * assign a field its value, by the access path from the static field. A value that cannot be
 * written as source is saved before the test; the statement then has a field for it.
 */
final class DirectResets {
  private static final Type ANY = Type.getType(Object.class);
  private static final int WAYS = 3;
  /** The price of giving an object back: mostly its content has changed, and not the object. */
  private static final int REPLACED = 2;

  private final Types types;
  private final ClassGraph graph;
  private final Values values;
  private final Resets to;
  private final KnownDifference way;
  /** Null if reflection is not requested. */
  private final Reflection reflection;

  /** The position after the steps so far: expressions for it, and its class if known. */
  private List<Values.Value> at;
  private String descriptor;
  /**
   * The last field of the path so far, and expressions for its object, which are empty if it is
   * static.
   */
  private CompiledClass.Field field;
  private List<Values.Value> holders = Collections.emptyList();
  /** Whether the present position is the value of a key, and not the field's. */
  private boolean inside;

  DirectResets(Types types, ClassGraph graph, Values values, Resets to, KnownDifference way, Reflection reflection) {
    this.types = types;
    this.graph = graph;
    this.values = values;
    this.to = to;
    this.way = way;
    this.reflection = reflection;
  }

  /**
   * Adds the statements that undo the difference below a static field. held has expressions for the
   * field's object.
   */
  void search(CompiledClass.Field root, List<Values.Value> held) {
    field = root;
    at = held;
    descriptor = root.descriptor;
    int n = way.steps.size();
    for (int i = 0; i < n; i++) {
      KnownDifference.Step s = way.steps.get(i);
      replaced(n - i);
      if (!s.key) {
        if (!go(s.text)) {
          return;
        }
      } else if (i == n - 1) {
        if (n > 2) {
          changers();
        }
        entry(s.text);
        return;
      } else if (!into(s.text)) {
        return; // the class of the value is not known
      }
    }
    if (n > 1) {
      changers();
    }
    value();
  }

  /**
   * The object at the present position may be another one than before the test, whose content
   * differs. The former object is then assigned again. below is how far down the difference is.
   */
  private void replaced(int below) {
    if (field.isFinal() || reflection != null || inside) {
      return;
    }
    if (values.visible(field.owner, field.access)) {
      names().forEach(name -> saved(name, name + " = %s;", REPLACED + 3 + below));
    }
    bySetter(REPLACED + below);
  }

  /** Steps to a field of the present position. */
  private boolean go(String name) {
    CompiledClass of = descriptor.startsWith("L") ? graph.find(descriptor.substring(1, descriptor.length() - 1)) : null;
    CompiledClass.Field next = null;
    for (CompiledClass c : of == null ? Collections.<CompiledClass>emptyList() : graph.lineage(of)) {
      next = next == null ? c.fields.get(name) : next;
    }
    if (next == null || next.isStatic()) {
      return false;
    }
    holders = at;
    inside = false;
    field = next;
    descriptor = next.descriptor;
    at = new ArrayList<>();
    for (Values.Value h : holders) {
      if (values.visible(next.owner, next.access)) {
        at.add(new Values.Value(h.text + "." + name, h.price));
      }
      for (CompiledClass c : graph.lineage(of)) {
        for (CompiledClass.Method m : c.methods) {
          boolean gives = !m.isStatic() && m.descriptor.startsWith("()") && next.key().equals(m.gives) && values.visible(c, m.access);
          if (gives) {
            at.add(new Values.Value(h.text + "." + m.name + "()", h.price + 1));
          }
        }
      }
    }
    if (reflection != null && at.isEmpty() && !holders.isEmpty()) {
      at.add(reflection.get(next, holders.get(0).text));
    }
    return true;
  }

  /** Steps to the value of a key, by static methods that take a key and read the field. */
  private boolean into(String key) {
    List<Values.Value> found = new ArrayList<>();
    String type = null;
    for (CompiledClass.Method m : field.isStatic() ? field.owner.methods : Collections.<CompiledClass.Method>emptyList()) {
      Type[] parameters = Type.getArgumentTypes(m.descriptor);
      Type gives = Type.getReturnType(m.descriptor);
      boolean fits = m.isStatic() && parameters.length == 1 && gives.getSort() == Type.OBJECT && m.gets.contains(field.key())
          && (type == null || type.equals(gives.getDescriptor())) && values.visible(field.owner, m.access) && !m.name.startsWith("lambda$");
      for (String k : fits ? new DescribedValue(graph, values, key).as(parameters[0]) : Collections.<String>emptyList()) {
        type = gives.getDescriptor();
        found.add(new Values.Value(field.owner.source() + "." + m.name + "(" + k + ")", 1));
      }
    }
    at = found;
    inside = true;
    holders = Collections.emptyList();
    descriptor = type == null ? descriptor : type;
    return !found.isEmpty();
  }

  /** Methods of the field's owner that change the field's object. */
  private void changers() {
    graph.changers(field.owner).forEach((m, depth) -> {
      if (m.sets.contains(field.key()) || m.used.containsKey(field.key())) {
        to.calls(m, depth, holders);
      }
    });
  }

  /** The entry, element or index at the end of the path. */
  private void entry(String key) {
    Set<String> keys = new LinkedHashSet<>(new DescribedValue(graph, values, key).as(ANY));
    Set<String> wanted = new LinkedHashSet<>(new DescribedValue(graph, values, way.wanted).as(ANY));
    boolean map = isA("java.util.Map");
    boolean list = isA("java.util.List");
    boolean queue = isA("java.util.Queue");
    boolean other = !list && !queue && isA("java.util.Collection");
    for (Values.Value e : at.subList(0, Math.min(WAYS, at.size()))) {
      if (way.added() && (list || queue) && key.equals("0")) { // it was empty
        to.add(e.text + ".clear();", 1 + e.price, "contents");
      }
      for (String k : keys) {
        if (way.added() && (map || other || list && k.matches("\\d+"))) {
          to.add(e.text + ".remove(" + k + ");", 2 + e.price, "contents");
        } else if (way.gone() && other) {
          to.add(e.text + ".add(" + k + ");", 3 + e.price, "contents");
        }
        for (String v : way.added() ? Collections.<String>emptySet() : wanted) {
          if (map) {
            to.add(e.text + ".put(" + k + ", " + v + ");", 3 + e.price, "contents");
          } else if (list) {
            to.add(e.text + (way.gone() ? ".add(" + v + ");" : ".set(" + k + ", " + v + ");"), 3 + e.price, "contents");
          } else if (descriptor.startsWith("[")) {
            to.add(e.text + "[" + k + "] = " + v + ";", 3 + e.price, "contents");
          }
        }
      }
      if (map || other || list || queue) {
        kept(e, map);
      } else if (descriptor.startsWith("[") && !way.added() && !way.gone()) {
        to.add(Arrays.asList(Type.getType(descriptor).getClassName().replace('$', '.') + " " + savedName() + " = " + e.text + ".clone()"),
            "System.arraycopy(" + savedName() + ", 0, " + e.text + ", 0, " + savedName() + ".length);", 12 + e.price, "saved");
      }
    }
  }

  private boolean isA(String jdk) {
    TypeInfo t = descriptor.startsWith("L") ? types.find(descriptor.substring(1, descriptor.length() - 1).replace('/', '.')) : null;
    return t != null && types.inherits(t, jdk);
  }

  /**
   * The container's content is saved. The statement then removes all other entries, or adds missing
   * ones again.
   */
  private void kept(Values.Value e, boolean map) {
    String name = savedName();
    if (way.added()) {
      String what = map ? e.text + ".keySet()" : e.text;
      to.add(Arrays.asList("java.util.Collection<?> " + name + " = new java.util.ArrayList<>(" + what + ")"),
          what + ".retainAll(" + name + ");", 12 + e.price, "saved");
    } else if (map) {
      to.add(Arrays.asList("java.util.Map " + name + " = new java.util.HashMap(" + e.text + ")"),
          e.text + ".putAll(" + name + ");", 13 + e.price, "saved");
    } else if (way.gone()) {
      to.add(Arrays.asList("java.util.Collection " + name + " = new java.util.ArrayList(" + e.text + ")"),
          e.text + ".addAll(" + name + ");", 13 + e.price, "saved");
    } else if (isA("java.util.List")) { // for example, it was sorted
      boolean generic = !inside && field.generic != null && field.generic.startsWith("java.util.List<");
      to.add(Arrays.asList((generic ? field.generic : "java.util.List") + " " + name + " = new java.util.ArrayList" + (generic ? "<>(" : "(") + e.text + ")"),
          "java.util.Collections.copy(" + e.text + ", " + name + ");", 12 + e.price, "saved");
    }
  }

  private String savedName() {
    String plain = field.name.equals(field.name.toUpperCase(java.util.Locale.ROOT)) ? field.name.toLowerCase(java.util.Locale.ROOT) : field.name;
    StringBuilder b = new StringBuilder("saved");
    for (String part : plain.split("_")) {
      b.append(part.isEmpty() ? "" : Character.toUpperCase(part.charAt(0)) + part.substring(1));
    }
    return b.toString();
  }

  /** The field at the end of the path is assigned its value, or its value before the test. */
  private void value() {
    boolean visible = values.visible(field.owner, field.access) && !field.isFinal();
    List<String> names = visible ? names() : Collections.<String>emptyList();
    for (String name : names) {
      for (String v : new DescribedValue(graph, values, way.wanted).as(Type.getType(field.descriptor))) {
        to.add(name + " = " + v + ";", 4, "assignment");
      }
      saved(name, name + " = %s;", 3);
    }
    if (reflection != null && names.isEmpty() && !field.isFinal() && !(field.isStatic() && visible)) {
      reflected();
    }
    bySetter(0);
  }

  /** The names of the present field. */
  private List<String> names() {
    List<String> out = new ArrayList<>();
    if (field.isStatic()) {
      out.add(field.owner.source() + "." + field.name);
    } else {
      holders.forEach(h -> out.add(h.text + "." + field.name));
    }
    return out;
  }

  /** The field at the end of the path is assigned by reflection. */
  private void reflected() {
    String on = field.isStatic() ? null : holders.isEmpty() ? "" : holders.get(0).text;
    for (String v : "".equals(on) ? Collections.<String>emptyList() : new DescribedValue(graph, values, way.wanted).as(Type.getType(field.descriptor))) {
      to.add(reflection.set(field, on, v), 4, "reflection");
    }
  }

  /** Cases with a getter and a setter, or with other methods that return and take the value. */
  private void bySetter(int more) {
    List<String> on = new ArrayList<>();
    if (field.isStatic()) {
      on.add(field.owner.source());
    }
    holders.stream().limit(WAYS).forEach(h -> on.add(h.text));
    for (CompiledClass c : graph.lineage(field.owner)) {
      for (CompiledClass.Method m : c.methods) {
        boolean sets = (field.isStatic() ? m.puts : m.sets).contains(field.key()) && (m.isStatic() || !field.isStatic())
            && m.descriptor.startsWith("(" + field.descriptor + ")") && !m.constructs() && values.visible(c, m.access);
        for (String o : sets ? on : Collections.<String>emptyList()) {
          String by = m.isStatic() ? c.source() : o; // a static method may set a field of the one instance
          getters(o).forEach(g -> saved(g, by + "." + m.name + "(%s);", more));
        }
      }
    }
  }

  private List<String> getters(String on) {
    List<String> out = new ArrayList<>();
    if (values.visible(field.owner, field.access)) {
      out.add(on + "." + field.name);
    }
    for (CompiledClass.Method m : field.owner.methods) {
      boolean gives = field.key().equals(m.gives) && m.isStatic() == field.isStatic() && values.visible(m.owner, m.access)
          && m.descriptor.equals("()" + field.descriptor);
      if (gives) {
        out.add(on + "." + m.name + "()");
      }
    }
    return out;
  }

  private void saved(String get, String set, int more) {
    String type = field.generic != null ? field.generic : Type.getType(field.descriptor).getClassName().replace('$', '.');
    CompiledClass of = graph.find(Type.getType(field.descriptor).getSort() == Type.OBJECT ? Type.getType(field.descriptor).getInternalName() : "");
    if (of == null || values.visible(of) && !Modifier.isPrivate(of.access)) {
      to.add(Arrays.asList(type + " " + savedName() + " = " + get), String.format(set, savedName()), 11 + more, "saved");
    }
  }
}
