package io.odfix.workbench;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Type;

/**
 * What the code of a test's class can reach: objects by an expression, and the members of classes of the
 * project, of libraries and of the JDK.
 */
final class Reachable {
  private final Types types;
  private final ClassGraph graph;
  private final CompiledClass test;
  private final Map<String, CompiledClass> members = new HashMap<>();
  private final Map<String, List<CompiledClass>> lineages = new HashMap<>();
  private final Map<String, Map<String, CompiledClass.Method>> methods = new HashMap<>();
  /** Expressions in a method that may be the object of a call, with the descriptors of their types. */
  private final Map<CompiledClass.Method, Map<String, String>> expressions = new HashMap<>();

  Reachable(Types types, ClassGraph graph, CompiledClass test) {
    this.types = types;
    this.graph = graph;
    this.test = test;
  }

  /** Receives a call in a method, the call's number of steps from a test, and its text. */
  interface Visitor {
    void call(CompiledClass.Method in, int depth, String call);
  }

  /** Visits the calls in the project's code that the tests of the class may run, nearest first. */
  static void walk(ClassGraph graph, CompiledClass test, int deep, int methods, Visitor visitor) {
    Map<CompiledClass.Method, Integer> read = new LinkedHashMap<>();
    graph.lineage(test).stream().filter(c -> c.own).forEach(c -> c.methods.forEach(m -> read.put(m, 0)));
    List<CompiledClass.Method> open = new ArrayList<>(read.keySet());
    for (int i = 0; i < open.size(); i++) {
      int depth = read.get(open.get(i));
      for (String call : open.get(i).calls) {
        visitor.call(open.get(i), depth, call);
        CompiledClass of = depth < deep ? graph.find(owner(call)) : null;
        for (CompiledClass.Method to : of != null && of.own ? graph.called(of, signature(call)) : new ArrayList<CompiledClass.Method>()) {
          if (read.size() < methods && read.putIfAbsent(to, depth + 1) == null) {
            open.add(to);
          }
        }
      }
    }
  }

  /** The class of a called method. */
  static String owner(String call) {
    return call.substring(0, call.lastIndexOf('.', call.indexOf('(')));
  }

  /** The name and the descriptor of a called method. */
  static String signature(String call) {
    return call.substring(owner(call).length() + 1);
  }

  /** Expressions for the object of that class that a method calls. */
  List<String> receivers(CompiledClass.Method in, String owner) {
    Set<String> out = new LinkedHashSet<>();
    expressions.computeIfAbsent(in, this::expressions).forEach((text, descriptor) -> is(descriptor, owner, text, out));
    return new ArrayList<>(out);
  }

  /**
   * Static fields that a method gets, results of static methods that it calls with plain arguments, and
   * fields of the test's class that outlive a test, with their types.
   */
  private Map<String, String> expressions(CompiledClass.Method in) {
    Map<String, String> out = new LinkedHashMap<>();
    for (String key : in.gets) {
      CompiledClass c = members(key.substring(0, key.lastIndexOf('.')));
      CompiledClass.Field f = c == null ? null : c.fields.get(key.substring(key.lastIndexOf('.') + 1));
      if (f != null && accessible(c, f.access)) {
        out.put(c.source() + "." + f.name, f.descriptor);
      } else if (f != null && f.isStatic()) {
        hidden(c, f, out);
      }
    }
    for (String call : in.calls) {
      CompiledClass c = CalledResets.ofTests(owner(call)) || owner(call).startsWith("[") ? null : members(owner(call));
      CompiledClass.Method m = c == null ? null : method(c, signature(call));
      if (m == null || !m.isStatic() || !accessible(c, m.access) || CalledResets.makes(m.name)) {
        continue;
      }
      Set<String> lists = m.descriptor.startsWith("()") ? new LinkedHashSet<>(Arrays.asList("()")) : in.passes.getOrDefault(call, new LinkedHashSet<>());
      lists.forEach(a -> out.put(c.source() + "." + m.name + a, Type.getReturnType(m.descriptor).getDescriptor()));
    }
    if (in.owner == test) {
      test.fields.values().stream().filter(f -> f.isStatic() || f.annotated).forEach(f -> out.put(f.name, f.descriptor));
    }
    return out;
  }

  /**
   * Adds other ways to the object of a field that the test's class cannot use: a getter, or the call with plain
   * arguments from which a final field has its value, such as {@code LoggerFactory.getLogger("audit")}.
   */
  private void hidden(CompiledClass c, CompiledClass.Field f, Map<String, String> to) {
    for (CompiledClass.Method m : c.methods) {
      if (m.isStatic() && m.descriptor.startsWith("()") && f.key().equals(m.gives) && accessible(c, m.access)) {
        to.put(c.source() + "." + m.name + "()", f.descriptor);
      }
      String from = f.isFinal() && m.name.equals("<clinit>") ? m.keeps.get(f.key()) : null;
      CompiledClass of = from == null || !from.contains("(") || CalledResets.ofTests(owner(from)) ? null : members(owner(from));
      CompiledClass.Method made = of == null ? null : method(of, signature(from));
      Set<String> lists = made == null ? new LinkedHashSet<>()
          : made.descriptor.startsWith("()") ? new LinkedHashSet<>(Arrays.asList("()")) : m.passes.getOrDefault(from, new LinkedHashSet<>());
      if (lists.size() == 1 && made.isStatic() && accessible(of, made.access) && !CalledResets.makes(made.name)) { // otherwise it is not known which
        to.put(of.source() + "." + made.name + lists.iterator().next(), Type.getReturnType(made.descriptor).getDescriptor());
      }
    }
  }

  /** Fields of the test's class that a method of it passes to others, and that may be an argument of the type. */
  List<String> fields(CompiledClass.Method in, Type wanted) {
    List<String> out = new ArrayList<>();
    boolean any = wanted.getSort() != Type.OBJECT || wanted.getClassName().equals("java.lang.Object");
    TypeInfo of = any ? null : types.find(wanted.getClassName());
    for (CompiledClass.Field f : of == null || in.owner != test ? new ArrayList<CompiledClass.Field>() : test.fields.values()) {
      Type given = Type.getType(f.descriptor);
      TypeInfo held = given.getSort() == Type.OBJECT ? types.find(given.getClassName()) : null;
      if (in.handed.containsKey(f.key()) && (given.equals(wanted) || held != null && types.inherits(held, of.binary))) {
        out.add(f.name);
      }
    }
    return out;
  }

  /** Adds the expression, whose type is descriptor, if its object is, or may be, of the class. */
  private void is(String descriptor, String internal, String expression, Set<String> to) {
    if (descriptor.equals("L" + internal + ";")) {
      to.add(expression);
      return;
    }
    TypeInfo of = types.find(internal.replace('/', '.'));
    Type given = Type.getType(descriptor);
    if (of == null || given.getSort() != Type.OBJECT || given.getClassName().equals("java.lang.Object")) {
      return;
    }
    TypeInfo held = types.find(given.getClassName());
    if (held != null && types.inherits(held, of.binary)) {
      to.add(expression);
    } else if (held != null && !held.binary.startsWith("java.") && types.inherits(of, held.binary) && of.isPublic()) {
      to.add("((" + of.canonical() + ") " + expression + ")");
    }
  }

  /** Whether the test's class can use a member of the class, which has these modifiers. */
  boolean accessible(CompiledClass c, int access) {
    boolean near = c.own && c.pkg().equals(test.pkg());
    return SourceNames.isType(c.name) && (Modifier.isPublic(c.access) && Modifier.isPublic(access)
        || near && !Modifier.isPrivate(c.access) && !Modifier.isPrivate(access));
  }

  /** The members of a class of the project, a library or the JDK, or null. */
  CompiledClass members(String internal) {
    CompiledClass own = graph.find(internal);
    if (own == null && !members.containsKey(internal)) {
      members.put(internal, types.classPath.members(internal));
    }
    return own != null ? own : members.get(internal);
  }

  /** The class and its supertypes. */
  List<CompiledClass> lineage(CompiledClass c) {
    List<CompiledClass> out = lineages.get(c.name);
    if (out == null) {
      out = new ArrayList<>();
      for (CompiledClass x = c; x != null && !x.name.equals("java/lang/Object") && !out.contains(x); x = x.parent == null ? null : members(x.parent)) {
        out.add(x);
      }
      for (int i = 0; i < out.size(); i++) {
        for (String each : out.get(i).interfaces) {
          CompiledClass x = members(each);
          if (x != null && !out.contains(x)) {
            out.add(x);
          }
        }
      }
      lineages.put(c.name, out);
    }
    return out;
  }

  /** The method with that name and descriptor, or null. */
  CompiledClass.Method method(CompiledClass of, String signature) {
    Map<String, CompiledClass.Method> all = methods.computeIfAbsent(of.name, n -> {
      Map<String, CompiledClass.Method> out = new HashMap<>();
      lineage(of).forEach(c -> c.methods.forEach(m -> out.putIfAbsent(m.name + m.descriptor, m)));
      return out;
    });
    CompiledClass.Method m = all.get(signature);
    return m != null && (SourceNames.isIdentifier(m.name) || m.constructs()) ? m : null;
  }
}
