package io.odfix.workbench;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Fields in which a test class itself keeps what a static field held: {@code saved = Config.get();} or
 * {@code saved = Config.set(mine);}. A person restores the static field with them.
 */
final class SavedFields {
  private final Set<CompiledClass.Field> saved = new LinkedHashSet<>();

  SavedFields(ClassGraph graph, CompiledClass.Field of, List<String> tests) {
    Set<String> sources = sources(graph, of);
    for (String t : tests) {
      CompiledClass test = graph.find(TestId.parse(t).type.replace('.', '/'));
      for (CompiledClass c : test == null ? new ArrayList<CompiledClass>() : graph.lineage(test)) {
        for (CompiledClass.Method m : c.methods) {
          m.keeps.forEach((in, from) -> {
            CompiledClass.Field f = c.fields.get(in.substring(in.lastIndexOf('.') + 1));
            if (sources.contains(from) && f != null && f.key().equals(in) && f != of && (c == test || TestFieldResets.inherited(f, test))) {
              saved.add(f);
            }
          });
        }
      }
    }
  }

  /** The field itself, its getters, and methods that change it and return something. */
  private static Set<String> sources(ClassGraph graph, CompiledClass.Field of) {
    Set<String> out = new LinkedHashSet<>();
    out.add(of.key());
    for (CompiledClass c : graph.all()) {
      for (CompiledClass.Method m : c.methods) {
        if (of.key().equals(m.gives) || m.puts.contains(of.key()) && !m.descriptor.endsWith(")V")) {
          out.add(m.key());
        }
      }
    }
    return out;
  }

  /** The names of those that a parameter or a field of that type takes. */
  List<String> as(String descriptor) {
    return saved.stream().filter(f -> f.descriptor.equals(descriptor) || descriptor.equals("Ljava/lang/Object;") && f.descriptor.startsWith("L"))
        .map(f -> f.name).collect(Collectors.toList());
  }
}
