package io.odfix.workbench;

import java.lang.reflect.Modifier;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Methods of the test classes themselves, and of their superclasses, that reset a static field:
 * private helpers that some of the tests call. Only code in these classes can call them, so that a
 * statement does not compile elsewhere.
 */
final class OwnResets {
  private final ClassGraph graph;
  private final Resets to;

  OwnResets(ClassGraph graph, Resets to) {
    this.graph = graph;
    this.to = to;
  }

  void search(CompiledClass.Field field, List<String> tests, Map<CompiledClass.Method, Integer> harmless) {
    for (String t : tests) {
      CompiledClass test = graph.find(TestId.parse(t).type.replace('.', '/'));
      for (CompiledClass c : test == null ? Collections.<CompiledClass>emptyList() : graph.lineage(test)) {
        harmless.forEach((m, depth) -> {
          boolean reached = m.owner == c && (c == test || !Modifier.isPrivate(m.access));
          boolean plain = m.descriptor.startsWith("()") && !m.annotated && !m.name.contains("$") && SourceNames.isIdentifier(m.name);
          if (reached && plain && !m.constructs() && MethodNameHints.resets(m.name)) {
            to.add(m.name + "();", depth + MethodNameHints.rank(m.name, false), "method");
          }
        });
      }
    }
  }
}
