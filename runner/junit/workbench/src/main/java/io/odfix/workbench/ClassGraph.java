package io.odfix.workbench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The classes of a module and of the library that has a field, and their call graph. The
 * instructions in the order of the code show which method changes what. It is certain that a method
 * writes a field. It is a guess, by the object's type, that a call of another object changes it.
 */
final class ClassGraph {
  /** The maximal number of calls between a method and the write of a field. */
  private static final int DEEP = 3;
  /**
   * Methods of the JDK's containers that change nothing. All others count as changing the
   * container.
   */
  private static final Set<String> READS = new HashSet<>(Arrays.asList("get", "size", "isEmpty", "contains",
      "containsKey", "containsValue", "keySet", "values", "entrySet", "iterator", "stream", "forEach", "equals",
      "hashCode", "toString", "getOrDefault", "indexOf", "toArray", "length", "charAt", "intValue", "longValue",
      "booleanValue", "getProperty", "peek", "listIterator", "containsAll", "name", "ordinal", "getClass"));

  /**
   * Types by which the JDK's containers give access to their content, and the methods of these
   * types that change the content.
   */
  private static final Set<String> VIEWS = new HashSet<>(Arrays.asList("java/util/Collection", "java/util/Set", "java/util/Iterator",
      "java/util/ListIterator", "java/util/Map$Entry"));
  private static final Set<String> REMOVING = new HashSet<>(Arrays.asList("remove", "clear", "removeIf", "removeAll", "retainAll", "setValue", "set"));

  private static final List<String> HARMFUL_CALLS = Arrays.asList("java/lang/System.exit", "java/lang/Runtime.exit",
      "java/lang/Runtime.halt", "java/lang/Runtime.exec", "java/lang/ProcessBuilder.start", "java/io/File.delete",
      "java/nio/file/Files.delete", "org/apache/commons/io/FileUtils.delete", "org/apache/commons/io/FileUtils.clean");

  /** Calls that change state of the whole process, in addition to methods named setDefault. */
  private static final List<String> PROCESS_STATE_CALLS = Arrays.asList("java/lang/System.setProperty(", "java/lang/System.setProperties(", "java/lang/System.clearProperty(",
      "java/lang/System.setOut(", "java/lang/System.setErr(", "java/lang/System.setIn(", "java/lang/System.setSecurityManager(",
      "java/lang/Thread.setDefaultUncaughtExceptionHandler(", "java/net/URL.setURLStreamHandlerFactory(", "java/security/Security.setProperty(",
      "java/security/Security.addProvider(", "java/security/Security.insertProviderAt(", "java/security/Security.removeProvider(");

  private final Map<String, CompiledClass> byName = new LinkedHashMap<>();
  private final Map<String, List<CompiledClass.Method>> callers = new HashMap<>();
  private final Map<String, List<CompiledClass>> subtypes = new HashMap<>();

  ClassGraph(ClassPath path, String internal) {
    try {
      path.each(internal, (bytes, own) -> {
        CompiledClass c = CompiledClass.read(bytes);
        if (c != null && byName.putIfAbsent(c.name, c) == null) {
          c.own = own;
        }
      });
    } catch (IOException e) {
      throw new Problem("unreadable", "the compiled classes cannot be read: " + e.getMessage());
    }
    throughAccessors();
    for (CompiledClass c : byName.values()) {
      if (c.parent != null) {
        subtypes.computeIfAbsent(c.parent, k -> new ArrayList<>()).add(c);
      }
      c.interfaces.forEach(i -> subtypes.computeIfAbsent(i, k -> new ArrayList<>()).add(c));
      for (CompiledClass.Method m : c.methods) {
        m.calls.forEach(k -> callers.computeIfAbsent(k, x -> new ArrayList<>()).add(m));
      }
    }
  }

  /**
   * Attributes to a class the accesses to a private field of a nested class through a method that
   * the compiler made (before Java 11).
   */
  private void throughAccessors() {
    Map<String, CompiledClass.Method> accessors = new HashMap<>();
    byName.values().forEach(c -> c.accessors.forEach(a -> accessors.put(a.key(), a)));
    for (CompiledClass c : byName.values()) {
      for (CompiledClass.Method m : c.methods) {
        m.calls.stream().filter(accessors::containsKey).forEach(k -> m.takeOver(accessors.get(k)));
      }
    }
  }

  CompiledClass find(String internal) {
    return byName.get(internal);
  }

  /**
   * The method. If code in these packages cannot call it, a method that it overrides and that can
   * be called.
   */
  CompiledClass.Method callable(CompiledClass.Method m, Values values) {
    if (m.isStatic() || m.constructs() || values.visible(m.owner, m.access)) {
      return m;
    }
    for (CompiledClass c : lineage(m.owner)) {
      for (CompiledClass.Method x : c.methods) {
        boolean same = x.name.equals(m.name) && x.descriptor.equals(m.descriptor) && !x.isStatic();
        if (same && values.visible(c, x.access)) {
          return x;
        }
      }
    }
    return m;
  }

  /** Plain arguments that the project's own code passes to the method, as source in parentheses. */
  Set<String> passed(CompiledClass.Method m) {
    Set<String> out = new LinkedHashSet<>();
    for (CompiledClass c : byName.values()) {
      if (c.own) {
        c.methods.forEach(x -> out.addAll(x.passes.getOrDefault(m.key(), new LinkedHashSet<>())));
      }
    }
    return out;
  }

  Collection<CompiledClass> all() {
    return byName.values();
  }

  /** The class and its known supertypes. */
  List<CompiledClass> lineage(CompiledClass c) {
    Set<CompiledClass> out = new LinkedHashSet<>();
    lineage(c, out);
    return new ArrayList<>(out);
  }

  private void lineage(CompiledClass c, Set<CompiledClass> out) {
    if (c == null || !out.add(c)) {
      return;
    }
    lineage(byName.get(c.parent), out);
    c.interfaces.forEach(i -> lineage(byName.get(i), out));
  }

  /**
   * The methods of known classes that a call of the class's method may run. signature is its name
   * and descriptor.
   */
  List<CompiledClass.Method> called(CompiledClass of, String signature) {
    Set<CompiledClass> all = new LinkedHashSet<>(lineage(of));
    all.addAll(family(of));
    List<CompiledClass.Method> out = new ArrayList<>();
    all.forEach(c -> c.methods.stream().filter(m -> (m.name + m.descriptor).equals(signature)).forEach(out::add));
    return out;
  }

  boolean isA(String internal, String wanted) {
    CompiledClass c = byName.get(internal);
    return internal.equals(wanted) || c != null && lineage(c).stream().anyMatch(
        x -> x.name.equals(wanted) || wanted.equals(x.parent) || x.interfaces.contains(wanted));
  }

  /** The class and all known subtypes. */
  private Set<CompiledClass> family(CompiledClass c) {
    Set<CompiledClass> out = new LinkedHashSet<>();
    List<CompiledClass> open = new ArrayList<>();
    open.add(c);
    while (!open.isEmpty()) {
      CompiledClass next = open.remove(0);
      if (out.add(next)) {
        open.addAll(subtypes.getOrDefault(next.name, new ArrayList<>()));
      }
    }
    return out;
  }

  /**
   * Methods that write the static field or change its object, each with the number of calls to the
   * write.
   */
  Map<CompiledClass.Method, Integer> writers(CompiledClass.Field f) {
    Map<CompiledClass.Method, Integer> out = new LinkedHashMap<>();
    ReflectiveWriters.of(this, f).forEach(m -> out.put(m, 0));
    Set<String> changing = changing(f.descriptor);
    for (CompiledClass c : byName.values()) {
      for (CompiledClass.Method m : c.methods) {
        boolean puts = m.puts.contains(f.key()) && !m.name.equals("<clinit>");
        boolean changes = m.used.getOrDefault(f.key(), new HashSet<>()).stream().anyMatch(changing::contains)
            || m.used.getOrDefault(f.key(), new HashSet<>()).stream().anyMatch(k -> foreign(k, f.descriptor) || undoesInLibrary(k, f.descriptor));
        if (puts || changes || handsOn(m, f)) {
          out.put(m, 0);
        }
      }
    }
    return calling(out);
  }

  /**
   * True if the method passes the field's value to a method of the project that changes its
   * argument.
   */
  private boolean handsOn(CompiledClass.Method m, CompiledClass.Field f) {
    for (String call : f.descriptor.startsWith("Ljava/") ? m.handed.getOrDefault(f.key(), new HashSet<>()) : new HashSet<String>()) {
      int dot = call.lastIndexOf('.', call.indexOf('('));
      CompiledClass owner = call.indexOf(f.descriptor, call.indexOf('(')) < 0 ? null : byName.get(call.substring(0, dot));
      for (CompiledClass.Method to : owner == null ? new ArrayList<CompiledClass.Method>() : owner.methods) {
        if (to.key().equals(call) && to.calls.stream().anyMatch(k -> foreign(k, f.descriptor))) {
          return true;
        }
      }
    }
    return false;
  }

  private Map<CompiledClass.Method, Integer> calling(Map<CompiledClass.Method, Integer> direct) {
    Map<CompiledClass.Method, Integer> out = new LinkedHashMap<>(direct);
    List<CompiledClass.Method> open = new ArrayList<>(direct.keySet());
    while (!open.isEmpty()) {
      CompiledClass.Method m = open.remove(0);
      int depth = out.get(m) + 1;
      if (depth > DEEP || m.name.equals("<clinit>")) {
        continue;
      }
      for (CompiledClass.Method by : callersOf(m)) {
        if (!by.name.equals("<clinit>") && out.putIfAbsent(by, depth) == null) {
          open.add(by);
        }
      }
    }
    return out;
  }

  private static boolean harms(CompiledClass.Method m) {
    return m.calls.stream().anyMatch(k -> HARMFUL_CALLS.stream().anyMatch(k::startsWith));
  }

  /**
   * Whether methods of that name, or the methods of the same class that they call, must not be
   * tried.
   */
  static boolean harms(CompiledClass c, String name) {
    Set<String> near = new HashSet<>();
    c.methods.stream().filter(m -> m.name.equals(name)).forEach(m -> {
      near.add(m.key());
      near.addAll(m.calls);
    });
    return c.methods.stream().anyMatch(m -> near.contains(m.key()) && harms(m));
  }

  /** Methods that must not be tried: they end the process, start others, or delete files. */
  Set<CompiledClass.Method> harmful() {
    Map<CompiledClass.Method, Integer> direct = new LinkedHashMap<>();
    for (CompiledClass c : byName.values()) {
      for (CompiledClass.Method m : c.methods) {
        if (harms(m)) {
          direct.put(m, 0);
        }
      }
    }
    return calling(direct).keySet();
  }

  /**
   * Methods of the project that change state of the whole process, each with the number of calls to
   * the change.
   */
  Map<CompiledClass.Method, Integer> processStateWriters() {
    Map<CompiledClass.Method, Integer> direct = new LinkedHashMap<>();
    for (CompiledClass c : byName.values()) {
      for (CompiledClass.Method m : c.methods) {
        if (c.own && m.calls.stream().anyMatch(k -> k.contains(".setDefault(") || PROCESS_STATE_CALLS.stream().anyMatch(k::startsWith))) {
          direct.put(m, 0);
        }
      }
    }
    return calling(direct);
  }

  /**
   * The callers of the method, called as a member of its own class, a subclass, or a class that
   * declares it.
   */
  private List<CompiledClass.Method> callersOf(CompiledClass.Method m) {
    List<CompiledClass.Method> out = new ArrayList<>(callers.getOrDefault(m.key(), new ArrayList<>()));
    if (!m.constructs()) {
      Set<String> other = new LinkedHashSet<>();
      for (CompiledClass c : lineage(m.owner)) { // also supertypes whose code was not read
        other.add(c.name);
        other.add(c.parent);
        other.addAll(c.interfaces);
      }
      subtypes.getOrDefault(m.owner.name, new ArrayList<>()).forEach(c -> other.add(c.name));
      other.remove(m.owner.name);
      other.forEach(c -> out.addAll(callers.getOrDefault(c + "." + m.name + m.descriptor, new ArrayList<>())));
    }
    return out;
  }

  /** Calls of a JDK type's methods that may change the object, if it is of such a type. */
  private static boolean foreign(String call, String descriptor) {
    if (!descriptor.startsWith("Ljava/")) {
      return false;
    }
    String owner = descriptor.substring(1, descriptor.length() - 1);
    String name = call.substring(call.lastIndexOf('.') + 1);
    if (VIEWS.contains(call.substring(0, call.lastIndexOf('.'))) && REMOVING.contains(name.substring(0, Math.max(0, name.indexOf('('))))) {
      return true;
    }
    return call.startsWith(owner + ".") && !READS.contains(name.substring(0, Math.max(0, name.indexOf('('))));
  }

  /** The calls and puts that change an object of the type, if its class is known. */
  private Set<String> changing(String descriptor) {
    Set<String> out = new HashSet<>();
    CompiledClass type = descriptor.startsWith("L") ? byName.get(descriptor.substring(1, descriptor.length() - 1)) : null;
    if (type == null) {
      return out;
    }
    for (CompiledClass.Method m : changers(type).keySet()) {
      for (CompiledClass c : family(type)) {
        out.add(c.name + "." + m.name + m.descriptor);
      }
      lineage(type).forEach(c -> out.add(c.name + "." + m.name + m.descriptor));
    }
    for (CompiledClass c : lineage(type)) {
      c.fields.values().stream().filter(f -> !f.isStatic()).forEach(f -> out.add("put " + f.key()));
    }
    return out;
  }

  /** Instance methods of the type, and of its subtypes, that change the object itself. */
  Map<CompiledClass.Method, Integer> changers(CompiledClass type) {
    Set<CompiledClass> all = new LinkedHashSet<>(lineage(type));
    all.addAll(family(type));
    Map<CompiledClass.Method, Integer> out = new LinkedHashMap<>();
    for (CompiledClass c : all) {
      for (CompiledClass.Method m : c.methods) {
        if (!m.isStatic() && !m.constructs() && (!m.sets.isEmpty() || changesOwn(m))) {
          out.put(m, 0);
        }
      }
    }
    Map<CompiledClass.Method, Integer> wide = calling(out);
    wide.keySet().removeIf(m -> m.isStatic() || m.constructs() || !all.contains(m.owner));
    return wide;
  }

  private boolean changesOwn(CompiledClass.Method m) {
    return lineage(m.owner).stream().flatMap(c -> c.fields.values().stream()).anyMatch(f -> changesContent(m, f));
  }

  /** Whether the method changes the object that the instance field holds. */
  private boolean changesContent(CompiledClass.Method m, CompiledClass.Field f) {
    Set<String> by = f.isStatic() ? null : m.used.get(f.key());
    return by != null && by.stream().anyMatch(k -> foreign(k, f.descriptor) || undoesByName(k, f.descriptor));
  }

  /**
   * Methods that put or change an instance field of that name, each with the number of calls to the
   * change. None if more than so many classes have such a field.
   */
  Map<CompiledClass.Method, Integer> changersOf(String field, int owners) {
    Map<CompiledClass.Method, Integer> out = new LinkedHashMap<>();
    int found = 0;
    for (CompiledClass c : byName.values()) {
      CompiledClass.Field f = c.fields.get(field);
      if (f == null || f.isStatic()) {
        continue;
      }
      if (++found > owners) {
        return new LinkedHashMap<>();
      }
      family(c).stream().flatMap(x -> x.methods.stream()).filter(m -> m.sets.contains(f.key()) || changesContent(m, f)).forEach(m -> out.put(m, 0));
    }
    return calling(out);
  }

  /** As {@link #undoesByName}, for an object of a library whose code was not read. */
  private boolean undoesInLibrary(String call, String descriptor) {
    String type = descriptor.startsWith("L") ? descriptor.substring(1, descriptor.length() - 1) : "java/";
    return !type.startsWith("java/") && !byName.containsKey(type) && call.startsWith(type + ".")
        && MethodNameHints.undoes(call.substring(call.lastIndexOf('.', call.indexOf('(')) + 1));
  }

  /**
   * A call of a method of the field's object, which is the project's, if the method's name means
   * that it undoes something.
   */
  private boolean undoesByName(String call, String descriptor) {
    String name = call.substring(call.lastIndexOf('.') + 1);
    return descriptor.startsWith("L") && call.startsWith(descriptor.substring(1, descriptor.length() - 1) + ".")
        && byName.containsKey(descriptor.substring(1, descriptor.length() - 1)) && MethodNameHints.undoes(name);
  }
}
