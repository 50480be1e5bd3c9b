package io.odfix.workbench;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Calls of objects that the test classes hold in fields, such as beans, services, and helpers that a
 * setup makes and a teardown asks to undo what they did. A container (Spring, Guice) gives them to the
 * tests and keeps the changed state itself, so no static field of the project leads to it. Only methods
 * that may change the static field, or a field with the name of the differing one, are called.
 */
final class TestFieldResets {
  /** The maximal number of classes with a field of that name. A more frequent name says too little. */
  private static final int OWNERS = 20;

  /** The price of the object, which is used in two classes at most. */
  private static final int PRICE = 1;

  private final ClassGraph graph;
  private final Resets to;

  TestFieldResets(ClassGraph graph, Resets to) {
    this.graph = graph;
    this.to = to;
  }

  void search(CompiledClass.Field field, List<KnownDifference> differences, List<String> tests) {
    Map<CompiledClass.Method, Integer> changers = new LinkedHashMap<>();
    Set<String> names = new LinkedHashSet<>();
    differences.forEach(d -> names.add(d.field()));
    names.remove(null);
    names.forEach(n -> changers.putAll(graph.changersOf(n, OWNERS)));
    changers.putAll(graph.writers(field));
    changers.keySet().removeIf(m -> m.isStatic() || m.constructs());
    if (!changers.isEmpty()) {
      held(tests).forEach((name, types) -> types.forEach(type -> calls(name, type, changers)));
    }
  }

  /** The fields of the test classes with objects of known classes: their types, by their names. */
  private Map<String, Set<CompiledClass>> held(List<String> tests) {
    Map<String, Set<CompiledClass>> out = new LinkedHashMap<>();
    for (String t : tests) {
      CompiledClass test = graph.find(TestId.parse(t).type.replace('.', '/'));
      for (CompiledClass c : test == null ? Collections.<CompiledClass>emptyList() : graph.lineage(test)) {
        for (CompiledClass.Field f : c.fields.values()) {
          CompiledClass type = f.descriptor.startsWith("L") ? graph.find(f.descriptor.substring(1, f.descriptor.length() - 1)) : null;
          if (type != null && !f.name.contains("$") && (c == test || inherited(f, test))) {
            out.computeIfAbsent(f.name, k -> new LinkedHashSet<>()).add(type);
          }
        }
      }
    }
    return out;
  }

  static boolean inherited(CompiledClass.Field f, CompiledClass by) {
    return !Modifier.isPrivate(f.access)
        && (Modifier.isPublic(f.access) || Modifier.isProtected(f.access) || f.owner.pkg().equals(by.pkg()));
  }

  /** Calls the changers that the field's type declares, itself or for its subtypes. */
  private void calls(String name, CompiledClass type, Map<CompiledClass.Method, Integer> changers) {
    List<CompiledClass.Method> declared = new ArrayList<>();
    graph.lineage(type).forEach(c -> declared.addAll(c.methods));
    changers.forEach((m, depth) -> {
      if (graph.isA(m.owner.name, type.name) || graph.isA(type.name, m.owner.name)) {
        declared.stream().filter(d -> d.name.equals(m.name) && d.descriptor.equals(m.descriptor)).findFirst().ifPresent(
            d -> to.calls(d, depth, Collections.singletonList(new Values.Value(name, PRICE))));
      }
    });
  }
}
