package io.odfix.workbench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Methods of the project that change state of the whole process, such as the default locale or a
 * system property. Methods that restore this state before they return count, too: a class that is
 * initialised in between may keep the changed value.
 */
final class ProcessStateWriters {
  private static final int MOST = 2000;

  private ProcessStateWriters() {}

  static Api.Writers find(Types types) {
    Api.Writers answer = new Api.Writers();
    List<Map.Entry<CompiledClass.Method, Integer>> all = new ArrayList<>(new ClassGraph(types.classPath, "java/lang/Object").processStateWriters().entrySet());
    all.sort(Map.Entry.comparingByValue());
    for (Map.Entry<CompiledClass.Method, Integer> e : all.subList(0, Math.min(MOST, all.size()))) {
      Api.ProcessStateWriter s = new Api.ProcessStateWriter();
      s.type = e.getKey().owner.name.replace('/', '.');
      s.method = named(e.getKey().name);
      s.calls = e.getValue();
      answer.methods.add(s);
    }
    return answer;
  }

  /** The method that contains a lambda. */
  private static String named(String method) {
    String[] parts = method.split("\\$");
    return method.startsWith("lambda$") && parts.length == 3 ? parts[1] : method;
  }
}
