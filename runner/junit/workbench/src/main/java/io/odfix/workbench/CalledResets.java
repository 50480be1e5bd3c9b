package io.odfix.workbench;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.objectweb.asm.Type;

/**
 * Calls without arguments that reset or end what a test's code uses. They are methods of the classes
 * whose static methods that code calls ({@code SecurityContextHolder.clearContext()}), and of the
 * objects that such methods give ({@code Caching.getCachingProvider().close()}, {@code
 * Caches.get("prices").invalidateAll()}). The state may be
 * anywhere in a library, or in what is not observed.
 */
final class CalledResets {
  /** The maximal number of calls between the test and the method. */
  private static final int DEEP = 6;

  /** The maximal number of the project's methods that are read. */
  private static final int METHODS = 3000;

  private static final int MOST = 10;
  private static final int PRICE = 7;

  /** Methods with such names give another object at each call. */
  private static final List<String> MAKING = Arrays.asList("new", "create", "build", "of", "open", "start", "empty");

  /** The JDK's own state is restored in other ways. */
  private static final List<String> JDK = Arrays.asList("java/", "jdk/", "sun/", "com/sun/", "javax/xml/", "javax/swing/", "javax/net/");

  /**
   * Frameworks that have state of the present run of tests. ClosingStatements finds those for
   * mocks.
   */
  private static final List<String> TEST_FRAMEWORKS = Arrays.asList("org/junit/", "junit/", "org/testng/", "org/hamcrest/", "org/assertj/",
      "org/mockito/", "org/easymock/", "org/powermock/", "org/springframework/test/", "org/testcontainers/");

  /** How the methods' names begin. Names such as purge or flush say too often that data is lost. */
  private static final List<String> NAMES = Arrays.asList("reset", "clear", "restore", "unset", "remove", "close", "shutdown", "stop", "destroy",
      "dispose", "release", "uninstall", "deregister", "unregister", "invalidate", "evict", "teardown", "cleanup");

  private final Types types;
  private final Map<String, Integer> found = new LinkedHashMap<>(); // statements, with their prices

  private CalledResets(Types types) {
    this.types = types;
  }

  /** Whether the class belongs to a framework that runs or supports tests. */
  static boolean ofTests(String internal) {
    return TEST_FRAMEWORKS.stream().anyMatch(internal::startsWith);
  }

  /** Whether a method of that name gives another object at each call. */
  static boolean makes(String method) {
    return MAKING.stream().anyMatch(method::startsWith);
  }

  /** Whether the method's name says that it resets or ends something. */
  static boolean resets(String method) {
    return NAMES.stream().anyMatch(method.toLowerCase(Locale.ROOT)::startsWith);
  }

  /** The likeliest statements, likeliest first, with their prices. */
  static Map<String, Integer> find(Types types, ClassGraph graph, CompiledClass test) {
    Map<String, Integer> out = new LinkedHashMap<>();
    CalledResets s = new CalledResets(types);
    Reachable.walk(graph, test, DEEP, METHODS, (in, depth, call) -> s.calls(Reachable.owner(call), Reachable.signature(call),
        in.passes.getOrDefault(call, Collections.emptySet()), depth));
    s.found.entrySet().stream().sorted(Map.Entry.<String, Integer>comparingByValue().thenComparing(e -> e.getKey().split("\\(").length)
        .thenComparing(Map.Entry.comparingByKey(Comparator.naturalOrder()))).limit(MOST).forEach(e -> out.put(e.getKey(), e.getValue()));
    return out;
  }

  /** Adds the statements for a call of a method, and its plain arguments. */
  private void calls(String owner, String called, Set<String> passed, int depth) {
    if (JDK.stream().anyMatch(owner::startsWith) || ofTests(owner) || owner.startsWith("[")) {
      return;
    }
    TypeInfo of = types.find(owner.replace('/', '.'));
    String name = called.substring(0, called.indexOf('('));
    boolean named = SourceNames.isIdentifier(name) && SourceNames.isDescriptor(called.substring(name.length()));
    if (of == null || !of.isPublic() || !named
        || of.methods.getOrDefault(name, new ArrayList<>()).stream().noneMatch(TypeInfo.Member::isStatic)) {
      return;
    }
    plain(of, true).forEach(n -> add(of.canonical() + "." + n + "();", n, depth));
    Type given = Type.getReturnType(called.substring(called.indexOf('(')));
    Set<String> arguments = called.startsWith(name + "()") ? Collections.singleton("()") : passed;
    boolean gives = !arguments.isEmpty() && given.getSort() == Type.OBJECT && !makes(name);
    TypeInfo object = gives && !given.getInternalName().startsWith("java/") ? types.find(given.getClassName()) : null;
    if (object != null) {
      String on = of.canonical() + "." + name + arguments.iterator().next();
      plain(object, false).forEach(n -> add(on + "." + n + "();", n, depth));
    }
  }

  /**
   * Names of the class's public methods without parameters that may reset or end something, and do
   * no harm.
   */
  private Set<String> plain(TypeInfo of, boolean isStatic) {
    Set<String> out = new TreeSet<>();
    for (TypeInfo t : isStatic ? Collections.singletonList(of) : types.lineage(of)) {
      CompiledClass code = types.classPath.code(t.binary);
      t.methods.forEach((n, all) -> {
        boolean fits = all.stream().anyMatch(m -> m.isStatic() == isStatic && m.params == 0 && Modifier.isPublic(m.flags));
        if (fits && resets(n) && (code == null || !ClassGraph.harms(code, n))) {
          out.add(n);
        }
      });
    }
    return out;
  }

  private void add(String statement, String method, int depth) {
    found.merge(statement, PRICE + depth + MethodNameHints.rank(method, false), Math::min);
  }
}
