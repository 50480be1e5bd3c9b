package io.odfix.workbench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Statements that restore state of the JDK which a test class sets with a call of its own and which
 * is not observed: the thread's context class loader, the levels of loggers, the security manager. A
 * field keeps the value from before the test.
 */
final class CalledSetters {
  private static final int PRICE = 9;
  private static final int LOGGERS = 3;
  private static final String LEVEL = "java/util/logging/Logger.setLevel(";

  /** The call, what people call the state, the type and name of the field, the getter and the setter. */
  private static final List<String[]> SETTERS = Arrays.asList(
      new String[] {"java/lang/Thread.setContextClassLoader(", "the context class loader", "ClassLoader savedContextClassLoader",
          "Thread.currentThread().getContextClassLoader()", "Thread.currentThread().setContextClassLoader(%s);"},
      new String[] {"java/lang/System.setSecurityManager(", "the security manager", "SecurityManager savedSecurityManager",
          "System.getSecurityManager()", "System.setSecurityManager(%s);"});

  private CalledSetters() {}

  /** What restores the state that the class itself sets. */
  static List<Api.Reset> find(CompiledClass test) {
    List<Api.Reset> out = new ArrayList<>();
    List<String> loggers = new ArrayList<>();
    for (CompiledClass.Method m : test.methods) {
      for (String[] s : SETTERS) {
        if (m.calls.stream().anyMatch(c -> c.startsWith(s[0]))) {
          add(out, s[1], s[2], s[3], s[4]);
        }
      }
      if (m.calls.stream().anyMatch(c -> c.startsWith(LEVEL))) {
        names(m, loggers);
      }
    }
    for (String name : loggers.subList(0, Math.min(LOGGERS, loggers.size()))) {
      String logger = "java.util.logging.Logger.getLogger(" + name + ")";
      add(out, "the level of the logger " + name.replace("\"", ""), "java.util.logging.Level savedLevel", logger + ".getLevel()",
          logger + ".setLevel(%s);");
    }
    return out;
  }

  /** Names that the logger may have, as source: the texts and classes in the method. */
  private static void names(CompiledClass.Method m, List<String> to) {
    List<String> all = new ArrayList<>();
    m.strings.forEach(s -> all.add(Constants.quoted(s)));
    for (Map.Entry<String, String> c : m.constants.entrySet()) {
      if (c.getValue().equals("Ljava/lang/Class;")) {
        all.add(c.getKey() + ".getName()");
      }
    }
    all.stream().filter(n -> n != null && !to.contains(n)).forEach(to::add);
  }

  private static void add(List<Api.Reset> to, String state, String field, String get, String set) {
    Api.Reset r = new Api.Reset();
    r.fields.add(field + " = " + get);
    r.statement = String.format(set, field.substring(field.indexOf(' ') + 1));
    r.price = PRICE;
    r.kind = "saved";
    r.place = state;
    if (to.stream().noneMatch(o -> o.statement.equals(r.statement))) {
      to.add(r);
    }
  }
}
