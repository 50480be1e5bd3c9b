package io.odfix.workbench;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.objectweb.asm.Type;

/**
 * Statements that close what a test class opened (executors, servers, static mocks), that reset
 * mocks that tests share, that restore what the class sets in the JDK, and that reset libraries. They
 * need no knowledge of where the remaining state is.
 */
final class ClosingStatements {
  /**
   * closeOnDemand is Mockito's: it may be called again, after a test that has closed its static mock. Where no test
   * does so, close is what people write.
   */
  private static final List<String> NAMES = Arrays.asList("closeOnDemand", "shutdownNow", "shutdown", "cancel", "stop", "close");
  private static final java.util.regex.Pattern CLOSING = java.util.regex.Pattern.compile("org/mockito/\\w+\\.close");
  private static final List<String> OPENED = Arrays.asList("java.lang.AutoCloseable", "java.util.concurrent.ExecutorService", "java.util.Timer",
      "com.sun.net.httpserver.HttpServer");
  private static final List<String> EMPTYING = Arrays.asList("clear", "reset"); // deleteAll may reach a database that is not the test's

  /** Methods that empty a store. They are called only if its database is in memory. */
  private static final List<String> DELETING = Arrays.asList("deleteAll", "removeAll", "truncate", "clear", "reset");
  private static final List<String> IN_MEMORY = Arrays.asList("jdbc:h2:mem:", "jdbc:hsqldb:mem:", "jdbc:derby:memory:", "jdbc:sqlite::memory:");
  /** Names of methods that end what a setup begins. */
  private static final String ENDING = "(?i)_?(tear|clean|after|reset|restore|shutdown|stop|close|dispose|destroy).*";
  private static final int MOST = 8;
  private static final int MOCKS = 8;
  private static final int INJECTED = 4;
  private static final int PRICE = 6;

  private ClosingStatements() {}

  /**
   * The call, with its dot, that closes an object of the class with these methods. Null if there is
   * none.
   */
  static String call(Set<String> methods, String internal) {
    boolean stays = internal.startsWith("java/io/") || internal.startsWith("java/util/stream/") || internal.equals("java/util/Scanner")
        || internal.equals("java/lang/Thread");
    if (stays) {
      return null; // it may be the process's own stream, or only memory; threads cannot be stopped from outside
    }
    for (String n : NAMES) {
      if (methods.contains(n)) {
        return "." + n + "()";
      }
    }
    boolean server = internal.equals("com/sun/net/httpserver/HttpServer") || internal.equals("com/sun/net/httpserver/HttpsServer");
    return server ? ".stop(0)" : null;
  }

  static Api.Resets find(Types types, Api.ClosingRequest r) {
    Api.Resets answer = new Api.Resets();
    for (String t : r.tests) {
      String internal = TestId.parse(t).type.replace('.', '/');
      ClassGraph graph = new ClassGraph(types.classPath, internal);
      CompiledClass test = graph.find(internal);
      Set<CompiledClass.Method> harmful = graph.harmful();
      for (CompiledClass c : test == null ? new ArrayList<CompiledClass>() : graph.lineage(test)) {
        c.fields.values().stream().filter(f -> seen(f, test) && own(f)).forEach(f -> end(types, f, harmful, answer));
        boolean kept = c.fields.values().stream().anyMatch(f -> f.descriptor.equals("Lorg/mockito/MockedStatic;"));
        mocks(types, graph, c, test, answer);
        injected(types, c, test, answer);
        emptied(types, c, test, harmful, answer);
        answer.candidates.addAll(CalledSetters.find(c, test));
        if (!kept && c.methods.stream().flatMap(m -> m.calls.stream()).anyMatch(k -> k.startsWith("org/mockito/Mockito.mockStatic("))) {
          add(answer, "org.mockito.Mockito.framework().clearInlineMocks();", PRICE + 2);
        }
      }
      if (test != null) {
        inherited(graph, test, harmful, answer);
        String changed = "what " + internal.substring(Math.max(internal.lastIndexOf('/'), internal.lastIndexOf('$')) + 1) + " changes in classes that it calls";
        CalledResets.find(types, graph, test).forEach((statement, price) -> answer.candidates.add(reset(statement, price, changed)));
        Set<String> known = answer.candidates.stream().map(c -> c.statement).collect(Collectors.toSet());
        OppositeCalls.find(types, graph, test, changed).stream().filter(c -> !known.contains(c.statement)).forEach(answer.candidates::add);
      }
    }
    new OneStatement().filter(answer.candidates);
    answer.candidates.sort((a, b) -> a.price - b.price);
    answer.found = answer.candidates.size();
    return answer;
  }

  /** The teardowns of superclasses that the class overrides, and does not call. */
  private static void inherited(ClassGraph graph, CompiledClass test, Set<CompiledClass.Method> harmful, Api.Resets to) {
    for (CompiledClass.Method own : test.methods) {
      CompiledClass.Method over = own.isStatic() || !own.descriptor.equals("()V") || !own.name.matches(ENDING) ? null : overridden(graph, test, own.name);
      boolean called = over == null || own.calls.stream().anyMatch(k -> graph.lineage(test).stream().anyMatch(c -> k.equals(c.name + "." + own.name + "()V")));
      if (!called && over.owner.own && !Modifier.isAbstract(over.access) && seen(over, test) && !harmful.contains(over)) {
        String of = over.owner.source().substring(over.owner.source().lastIndexOf('.') + 1);
        add(to, "super." + over.name + "();", 0, "what " + of + "." + over.name + "() restores");
      }
    }
  }

  /** The method that a call of super runs: that of the nearest superclass which declares it. */
  private static CompiledClass.Method overridden(ClassGraph graph, CompiledClass test, String name) {
    for (CompiledClass c = graph.find(test.parent); c != null; c = graph.find(c.parent)) {
      for (CompiledClass.Method m : c.methods) {
        if (m.name.equals(name) && m.descriptor.equals("()V") && !m.isStatic()) {
          return m;
        }
      }
    }
    return null;
  }

  /**
   * Statements that reset mocks in static fields: their stubbing and their recorded calls. This
   * state belongs to Mockito and is not reachable from those fields.
   */
  private static void mocks(Types types, ClassGraph graph, CompiledClass of, CompiledClass test, Api.Resets to) {
    TypeInfo mockito = types.find("org.mockito.Mockito");
    Set<String> got = of.methods.stream().flatMap(m -> m.gets.stream()).collect(Collectors.toCollection(LinkedHashSet::new));
    for (String key : mockito == null ? new LinkedHashSet<String>() : got) {
      int at = key.lastIndexOf('.');
      CompiledClass through = graph.find(key.substring(0, at)); // or a superclass of it declares the field
      CompiledClass.Field f = through == null ? null : graph.lineage(through).stream().map(c -> c.fields.get(key.substring(at + 1)))
          .filter(x -> x != null).findFirst().orElse(null);
      if (f == null || !mock(types, f)) {
        continue;
      }
      CompiledClass owner = f.owner;
      boolean near = graph.lineage(test).contains(owner);
      if (near ? !seen(f, test) : !reached(f, test)) {
        continue;
      }
      String name = near ? f.name : owner.source() + "." + f.name;
      int price = PRICE;
      for (String how : Arrays.asList("reset", "clearInvocations")) {
        if (mockito.methods.containsKey(how)) {
          add(to, "org.mockito.Mockito." + how + "(" + name + ");", price++, f.key().replace('/', '.'));
        }
      }
    }
  }

  /**
   * Statements for objects that a framework gives the test class, and other classes, too: mocks that the
   * class tells what to do are reset, and other objects are cleared.
   */
  private static void injected(Types types, CompiledClass of, CompiledClass test, Api.Resets to) {
    boolean mocks = of.methods.stream().flatMap(m -> m.calls.stream())
        .anyMatch(k -> k.startsWith("org/mockito/Mockito.") || k.startsWith("org/mockito/BDDMockito."));
    int looked = 0;
    for (CompiledClass.Field f : of.fields.values()) {
      Type type = Type.getType(f.descriptor);
      TypeInfo held = looked < INJECTED && f.annotated && seen(f, test) && type.getSort() == Type.OBJECT ? types.find(type.getClassName()) : null;
      if (held == null || held.binary.startsWith("java.")) {
        continue;
      }
      looked++;
      Set<String> methods = plain(types, held);
      EMPTYING.stream().filter(methods::contains).limit(2).forEach(n -> add(to, f.name + "." + n + "();", PRICE + 1, f.key().replace('/', '.')));
      if (mocks) {
        add(to, "org.mockito.Mockito.reset(" + f.name + ");", PRICE + 1, f.key().replace('/', '.'));
      }
    }
  }

  /**
   * Statements that empty what the class holds in fields, if it gives them a database in memory. It must name no
   * other database, and take none from the environment.
   */
  private static void emptied(Types types, CompiledClass of, CompiledClass test, Set<CompiledClass.Method> harmful, Api.Resets to) {
    boolean others = of.methods.stream().flatMap(m -> m.strings.stream()).anyMatch(s -> s.startsWith("jdbc:") && !inMemory(s))
        || of.methods.stream().flatMap(m -> m.calls.stream()).anyMatch(k -> k.startsWith("java/lang/System.get"));
    for (CompiledClass.Field f : others ? new ArrayList<CompiledClass.Field>() : of.fields.values()) {
      Type type = Type.getType(f.descriptor);
      boolean memory = of.methods.stream().filter(m -> m.puts.contains(f.key()) || m.sets.contains(f.key()))
          .anyMatch(m -> m.strings.stream().anyMatch(s -> inMemory(s)));
      TypeInfo held = memory && seen(f, test) && own(f) && type.getSort() == Type.OBJECT ? types.find(type.getClassName()) : null;
      if (held != null && !held.binary.startsWith("java.")) {
        Set<String> methods = plain(types, held);
        DELETING.stream().filter(n -> methods.contains(n) && !harms(types, held, "." + n + "()", harmful)).limit(2)
            .forEach(n -> add(to, f.name + "." + n + "();", PRICE + 1, f.key().replace('/', '.')));
      }
    }
  }

  private static boolean inMemory(String url) {
    return IN_MEMORY.stream().anyMatch(url::startsWith);
  }

  /**
   * Whether some method of its class makes mocks and assigns the field, and the field's class can
   * be mocked. Mockito mocks final classes, too, but not those of the JDK.
   */
  private static boolean mock(Types types, CompiledClass.Field f) {
    Type type = Type.getType(f.descriptor);
    TypeInfo of = type.getSort() == Type.OBJECT ? types.find(type.getClassName()) : null;
    boolean no = of == null || Modifier.isFinal(of.flags) && type.getInternalName().startsWith("java/") || type.getClassName().endsWith("Logger");
    return !no && f.owner.own && f.owner.methods.stream().filter(m -> m.puts.contains(f.key())).flatMap(m -> m.calls.stream())
        .anyMatch(k -> k.startsWith("org/mockito/Mockito.mock(") || k.startsWith("org/mockito/Mockito.spy("));
  }

  /** Whether the test's class can use the static field of another one. */
  private static boolean reached(CompiledClass.Field f, CompiledClass test) {
    boolean open = Modifier.isPublic(f.access) && Modifier.isPublic(f.owner.access);
    return open || !Modifier.isPrivate(f.access) && !Modifier.isPrivate(f.owner.access) && f.owner.pkg().equals(test.pkg());
  }

  /** Whether the test's class can use the field by its name alone. */
  private static boolean seen(CompiledClass.Member f, CompiledClass test) {
    return f.owner == test || Modifier.isPublic(f.access) || Modifier.isProtected(f.access)
        || !Modifier.isPrivate(f.access) && f.owner.pkg().equals(test.pkg());
  }

  /**
   * The framework closes a field that it fills. A constant is for everyone as long as its class is
   * loaded.
   */
  private static boolean own(CompiledClass.Field f) {
    return !f.annotated && !(f.isStatic() && f.isFinal());
  }

  private static void end(Types types, CompiledClass.Field f, Set<CompiledClass.Method> harmful, Api.Resets to) {
    Type type = Type.getType(f.descriptor);
    TypeInfo of = type.getSort() == Type.OBJECT ? types.find(type.getClassName()) : null;
    if (of == null) {
      return;
    }
    Set<String> methods = plain(types, of);
    boolean closed = f.owner.methods.stream().flatMap(m -> m.calls.stream()).anyMatch(k -> CLOSING.matcher(k).lookingAt());
    List<String> calls = new ArrayList<>();
    if (!closed && methods.contains("closeOnDemand") && methods.contains("close")) {
      calls.add(".close()");
    }
    calls.add(call(methods, type.getInternalName()));
    for (String call : calls) {
      if (call != null && opens(types, of, methods) && !harms(types, of, call, harmful)) {
        end(f, call, to);
      }
    }
  }

  private static void end(CompiledClass.Field f, String call, Api.Resets to) {
    boolean setUp = f.owner.methods.stream().anyMatch(m -> m.isStatic() && (m.annotated || m.name.equals("<clinit>")) && m.puts.contains(f.key()));
    if (!f.isStatic() || setUp) {
      add(to, f.name + call + ";", PRICE);
    }
    add(to, "if (" + f.name + " != null) { " + f.name + call + "; }", PRICE + 1); // a static one another test may not have filled
  }

  /** Whether its class is one whose objects are opened and closed, or started and stopped. */
  private static boolean opens(Types types, TypeInfo of, Set<String> methods) {
    return OPENED.stream().anyMatch(n -> types.inherits(of, n)) || methods.contains("start");
  }

  /** Whether the call reaches code that deletes files or ends the process. */
  private static boolean harms(Types types, TypeInfo of, String call, Set<CompiledClass.Method> harmful) {
    List<String> names = types.lineage(of).stream().map(t -> t.binary.replace('.', '/')).collect(Collectors.toList());
    return harmful.stream().anyMatch(m -> call.startsWith("." + m.name + "(") && names.contains(m.owner.name));
  }

  /** Names of the public methods without parameters. */
  static Set<String> plain(Types types, TypeInfo of) {
    Set<String> names = new HashSet<>();
    for (TypeInfo x : types.lineage(of)) {
      x.methods.forEach((n, all) -> all.stream().filter(m -> m.takes(0) && Modifier.isPublic(m.flags)).forEach(m -> names.add(n)));
    }
    return names;
  }

  private static void add(Api.Resets to, String statement, int price) {
    add(to, statement, price, null);
  }

  private static void add(Api.Resets to, String statement, int price, String place) {
    if (to.candidates.size() < (place == null ? MOST : MOST + MOCKS) && to.candidates.stream().noneMatch(c -> c.statement.equals(statement))) {
      to.candidates.add(reset(statement, price, place));
    }
  }

  private static Api.Reset reset(String statement, int price, String place) {
    Api.Reset r = new Api.Reset();
    r.statement = statement;
    r.price = price;
    r.kind = "closing";
    r.place = place;
    return r;
  }
}
