package io.odfix.workbench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Statements that restore state of the JDK which a test class sets with a call of its own and which
 * is not observed: the thread's context class loader, the levels of loggers, the security manager. A
 * field keeps the value from before the test: one that the class has for that, or a new one. Where the
 * class has one, this includes state that is observed.
 */
final class CalledSetters {
  private static final int PRICE = 9;
  private static final int LOGGERS = 3;
  private static final String LEVEL = "java/util/logging/Logger.setLevel(";

  /** The price of a statement with a field that the class has: a person would write it first. */
  private static final int KEPT = -1;

  /** The call, what people call the state, the type and name of a new field, the getter, its source, and the setter. */
  private static final List<String[]> SETTERS = Arrays.asList(
      new String[] {"java/lang/Thread.setContextClassLoader(", "the context class loader", "ClassLoader savedContextClassLoader",
          "java/lang/Thread.getContextClassLoader(", "Thread.currentThread().getContextClassLoader()",
          "Thread.currentThread().setContextClassLoader(%s);"},
      new String[] {"java/lang/System.setSecurityManager(", "the security manager", "SecurityManager savedSecurityManager",
          "java/lang/System.getSecurityManager(", "System.getSecurityManager()", "System.setSecurityManager(%s);"});

  /** State that is observed, the getter or field that a class may keep, and the setter. */
  private static final List<String[]> OBSERVED = Arrays.asList(
      new String[] {"java.util.Locale.defaultLocale", "java/util/Locale.getDefault()", "java.util.Locale.setDefault(%s);"},
      new String[] {"java.util.TimeZone.defaultTimeZone", "java/util/TimeZone.getDefault()", "java.util.TimeZone.setDefault(%s);"},
      new String[] {"java.lang.System.out", "java/lang/System.out", "System.setOut(%s);"},
      new String[] {"java.lang.System.err", "java/lang/System.err", "System.setErr(%s);"},
      new String[] {"java.lang.System.in", "java/lang/System.in", "System.setIn(%s);"},
      new String[] {"java.net.ProxySelector.theProxySelector", "java/net/ProxySelector.getDefault()", "java.net.ProxySelector.setDefault(%s);"},
      new String[] {"javax.net.ssl.HttpsURLConnection.defaultSSLSocketFactory",
          "javax/net/ssl/HttpsURLConnection.getDefaultSSLSocketFactory()", "javax.net.ssl.HttpsURLConnection.setDefaultSSLSocketFactory(%s);"},
      new String[] {"javax.net.ssl.HttpsURLConnection.defaultHostnameVerifier",
          "javax/net/ssl/HttpsURLConnection.getDefaultHostnameVerifier()", "javax.net.ssl.HttpsURLConnection.setDefaultHostnameVerifier(%s);"});

  private CalledSetters() {}

  /** What restores the state that a class sets, which is the test's class or one above it. */
  static List<Api.Reset> find(CompiledClass of, CompiledClass test) {
    List<Api.Reset> out = new ArrayList<>();
    List<String> loggers = new ArrayList<>();
    OBSERVED.forEach(s -> kept(of, test, s[1]).forEach(f -> add(out, s[0], null, String.format(s[2], f), KEPT)));
    for (CompiledClass.Method m : of.methods) {
      for (String[] s : SETTERS) {
        if (m.calls.stream().anyMatch(c -> c.startsWith(s[0]))) {
          kept(of, test, s[3]).forEach(f -> add(out, s[1], null, String.format(s[5], f), KEPT));
          saved(out, s[1], s[2], s[4], s[5]);
        }
      }
      if (m.calls.stream().anyMatch(c -> c.startsWith(LEVEL))) {
        names(m, loggers);
      }
    }
    for (String name : loggers.subList(0, Math.min(LOGGERS, loggers.size()))) {
      String logger = "java.util.logging.Logger.getLogger(" + name + ")";
      saved(out, "the level of the logger " + name.replace("\"", ""), "java.util.logging.Level savedLevel", logger + ".getLevel()",
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

  /** Fields in which the class keeps the result of the getter, or what the field holds. */
  private static List<String> kept(CompiledClass of, CompiledClass test, String getter) {
    List<String> out = new ArrayList<>();
    for (CompiledClass.Method m : of.methods) {
      m.keeps.forEach((in, from) -> {
        CompiledClass.Field f = of.fields.get(in.substring(in.lastIndexOf('.') + 1));
        boolean same = getter.indexOf('(') < 0 ? from.equals(getter) : from.startsWith(getter);
        if (same && f != null && f.key().equals(in) && (of == test || TestFieldResets.inherited(f, test)) && !out.contains(f.name)) {
          out.add(f.name);
        }
      });
    }
    return out;
  }

  private static void saved(List<Api.Reset> to, String state, String field, String get, String set) {
    add(to, state, field + " = " + get, String.format(set, field.substring(field.indexOf(' ') + 1)), PRICE);
  }

  private static void add(List<Api.Reset> to, String state, String field, String statement, int price) {
    Api.Reset r = new Api.Reset();
    if (field != null) {
      r.fields.add(field);
    }
    r.statement = statement;
    r.price = price;
    r.kind = "saved";
    r.place = state;
    if (to.stream().noneMatch(o -> o.statement.equals(r.statement))) {
      to.add(r);
    }
  }
}
