package io.odfix.workbench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Statements that restore state of the JDK which a test class sets with a call of its own. They use a
 * field in which the class keeps the value from before the test. For state that is not observed (the
 * thread's context class loader, the levels of loggers, the security manager) they also add such a field.
 */
final class CalledSetters {
  private static final int PRICE = 9;
  private static final int LOGGERS = 3;
  private static final String LEVEL = "java/util/logging/Logger.setLevel(";

  /** The price of a statement with a field that the class has: a person would write it first. */
  private static final int KEPT = -1;

  /** State that a class sets: how people and the state agent call it, the setter, and the getter or field. */
  private static final class Setter {
    final String state;
    final String call;
    final String source;
    final String getter;
    final String type;
    /** A new field and its value; null if no field is added. */
    final String field;

    Setter(String state, String call, String source, String getter, String type, String field) {
      this.state = state;
      this.call = call;
      this.source = source;
      this.getter = getter;
      this.type = type;
      this.field = field;
    }
  }

  private static Setter setter(String state, String owner, String set, String get, String type) {
    String name = owner.startsWith("java/lang/") ? owner.substring("java/lang/".length()) : owner.replace('/', '.');
    return new Setter(state, owner + "." + set + "(", name + "." + set + "(%s);", owner + "." + get, type, null);
  }

  private static final String TLS = "javax/net/ssl/HttpsURLConnection";
  private static final List<Setter> SETTERS = Arrays.asList(
      new Setter("the context class loader", "java/lang/Thread.setContextClassLoader(", "Thread.currentThread().setContextClassLoader(%s);",
          "java/lang/Thread.getContextClassLoader(", "Ljava/lang/ClassLoader;",
          "ClassLoader savedContextClassLoader = Thread.currentThread().getContextClassLoader()"),
      new Setter("the security manager", "java/lang/System.setSecurityManager(", "System.setSecurityManager(%s);",
          "java/lang/System.getSecurityManager(", "Ljava/lang/SecurityManager;",
          "SecurityManager savedSecurityManager = System.getSecurityManager()"),
      setter("java.util.Locale.defaultLocale", "java/util/Locale", "setDefault", "getDefault(", "Ljava/util/Locale;"),
      setter("java.util.TimeZone.defaultTimeZone", "java/util/TimeZone", "setDefault", "getDefault(", "Ljava/util/TimeZone;"),
      setter("java.lang.System.out", "java/lang/System", "setOut", "out", "Ljava/io/PrintStream;"),
      setter("java.lang.System.err", "java/lang/System", "setErr", "err", "Ljava/io/PrintStream;"),
      setter("java.lang.System.in", "java/lang/System", "setIn", "in", "Ljava/io/InputStream;"),
      setter("java.net.ProxySelector.theProxySelector", "java/net/ProxySelector", "setDefault", "getDefault(", "Ljava/net/ProxySelector;"),
      setter(TLS.replace('/', '.') + ".defaultSSLSocketFactory", TLS, "setDefaultSSLSocketFactory", "getDefaultSSLSocketFactory(",
          "Ljavax/net/ssl/SSLSocketFactory;"),
      setter(TLS.replace('/', '.') + ".defaultHostnameVerifier", TLS, "setDefaultHostnameVerifier", "getDefaultHostnameVerifier(",
          "Ljavax/net/ssl/HostnameVerifier;"));

  private CalledSetters() {}

  /** What restores the state that a class sets, which is the test's class or one above it. */
  static List<Api.Reset> find(CompiledClass of, CompiledClass test) {
    List<Api.Reset> out = new ArrayList<>();
    List<String> loggers = new ArrayList<>();
    for (Setter s : SETTERS) {
      if (of.methods.stream().flatMap(m -> m.calls.stream()).anyMatch(c -> c.startsWith(s.call))) {
        kept(of, test, s).forEach(f -> add(out, s.state, null, String.format(s.source, f), KEPT));
        if (s.field != null) {
          saved(out, s.state, s.field, s.source);
        }
      }
    }
    for (CompiledClass.Method m : of.methods) {
      if (m.calls.stream().anyMatch(c -> c.startsWith(LEVEL))) {
        names(m, loggers);
      }
    }
    for (String name : loggers.subList(0, Math.min(LOGGERS, loggers.size()))) {
      String logger = "java.util.logging.Logger.getLogger(" + name + ")";
      saved(out, "the level of the logger " + name.replace("\"", ""), "java.util.logging.Level savedLevel = " + logger + ".getLevel()",
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

  /** Fields in which the class keeps what the getter returns, or what the field holds. */
  private static List<String> kept(CompiledClass of, CompiledClass test, Setter s) {
    List<String> out = new ArrayList<>();
    for (CompiledClass.Method m : of.methods) {
      m.keeps.forEach((in, from) -> {
        CompiledClass.Field f = of.fields.get(in.substring(in.lastIndexOf('.') + 1));
        boolean same = s.getter.endsWith("(") ? from.startsWith(s.getter) : from.equals(s.getter);
        boolean fits = same && f != null && f.key().equals(in) && f.descriptor.equals(s.type);
        if (fits && (of == test || TestFieldResets.inherited(f, test)) && !out.contains(f.name)) {
          out.add(f.name);
        }
      });
    }
    return out;
  }

  /** Adds a statement with a new field, which is declared by its type, its name and its value. */
  private static void saved(List<Api.Reset> to, String state, String field, String set) {
    String name = field.substring(field.indexOf(' ') + 1, field.indexOf(" = "));
    add(to, state, field, String.format(set, name), PRICE);
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
