package io.odfix.workbench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Methods of the project's own that change the default locale, a system property or whatever else
 * belongs to the whole process, be it put back behind: a class that is initialised meanwhile may
 * keep what it saw for good.
 */
final class ProcessStateWriters {
  private static final int MOST = 2000;

  private ProcessStateWriters() {}

  static Api.Swaying find(Types types) {
    Api.Swaying answer = new Api.Swaying();
    List<Map.Entry<CompiledClass.Method, Integer>> all = new ArrayList<>(new ClassGraph(types.classPath, "java/lang/Object").swaying().entrySet());
    all.sort(Map.Entry.comparingByValue());
    for (Map.Entry<CompiledClass.Method, Integer> e : all.subList(0, Math.min(MOST, all.size()))) {
      Api.Sway s = new Api.Sway();
      s.type = e.getKey().owner.name.replace('/', '.');
      s.method = named(e.getKey().name);
      s.deep = e.getValue();
      answer.methods.add(s);
    }
    return answer;
  }

  /** The method that a lambda's code stands in. */
  private static String named(String method) {
    String[] parts = method.split("\\$");
    return method.startsWith("lambda$") && parts.length == 3 ? parts[1] : method;
  }
}
