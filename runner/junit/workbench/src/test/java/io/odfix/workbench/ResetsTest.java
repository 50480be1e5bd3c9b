package io.odfix.workbench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The statements proposed for a static field. All of them compile at their place. */
class ResetsTest {
  private static final String TEST = "package app;\nimport org.junit.Test;\npublic class %s {\n"
      + "  @Test public void runs() { String job = \"nightly\"; }\n}\n";

  @TempDir
  Path root;

  private final Map<String, String> sources = new LinkedHashMap<>();
  private final List<Api.Change> changes = new ArrayList<>();
  private boolean sets;
  private String release = "";
  private final List<String> libraries = new ArrayList<>();

  private void main(String path, String text) {
    sources.put(path, text);
  }

  private Api.Resets find(String place, String... tests) throws IOException {
    sources.put("app/PolluterTest.java", String.format(TEST, "PolluterTest"));
    ClassesOnDisk disk = new ClassesOnDisk(root);
    sources.forEach(disk::add);
    disk.libraries.addAll(libraries);
    disk.release = release;
    Api.ResetsRequest r = new Api.ResetsRequest();
    r.place = place;
    r.sets = sets;
    r.changes.addAll(changes);
    r.tests = tests.length > 0 ? Arrays.asList(tests) : Arrays.asList("app.PolluterTest#runs");
    return Resets.find(disk.compiled(r), r);
  }

  private static Api.Change change(String path, String before, String after) {
    Api.Change c = new Api.Change();
    c.path = path;
    c.before = before;
    c.after = after;
    return c;
  }

  private static List<String> statements(Api.Resets r) {
    return r.candidates.stream().map(c -> c.statement).collect(Collectors.toList());
  }

  private static void assertFirst(String want, Api.Resets got) {
    assertFalse(got.candidates.isEmpty(), "nothing was found");
    assertEquals(want, got.candidates.get(0).statement, () -> statements(got).toString());
  }

  private static void assertHas(String want, Api.Resets got) {
    assertTrue(statements(got).contains(want), () -> want + " is not among " + statements(got));
  }

  @Test
  void staticReset() throws IOException {
    main("app/Settings.java", "package app;\npublic class Settings {\n  private static char separator = ',';\n"
        + "  public static void setSeparator(char c) { separator = c; }\n  public static char get() { return separator; }\n"
        + "  public static void reset() { separator = ','; }\n}\n");
    Api.Resets r = find("app.Settings.separator");
    assertTrue(r.known);
    assertFirst("app.Settings.reset();", r);
    assertHas("app.Settings.setSeparator(',');", r);
  }

  /** The same call with other arguments does not restore the first value. */
  @Test
  void methodThatPutsAnotherValue() throws IOException {
    main("app/Limits.java", "package app;\npublic class Limits {\n  private static Integer limit = 10;\n"
        + "  public static void enlarge() { limit = 1000; }\n  public static void restoreLimit() { limit = 10; }\n}\n");
    assertFirst("app.Limits.restoreLimit();", find("app.Limits.limit"));
  }

  /**
   * A method that puts into the field what its initialiser puts there comes first, whatever its name
   * is.
   */
  @Test
  void methodThatPutsTheFirstValueAgain() throws IOException {
    main("app/Times.java", "package app;\npublic class Times {\n  interface Clock { long now(); }\n"
        + "  static class SystemClock implements Clock { public long now() { return 1; } }\n"
        + "  static class Fixed implements Clock { public long now() { return 2; } }\n  private static final Clock SYSTEM = new SystemClock();\n"
        + "  private static Clock clock = SYSTEM;\n  static void setClock(Clock c) { clock = c; }\n"
        + "  public static void setTimeFixed() { clock = new Fixed(); }\n  public static void setTimeSystem() { clock = SYSTEM; }\n}\n");
    changes.add(change("app.Times.clock", "Times.SystemClock", "Times.Fixed"));
    assertFirst("app.Times.setTimeSystem();", find("app.Times.clock"));
  }

  private static final String REGISTERED = "package app;\npublic final class Global {\n  private static boolean registered;\n"
      + "  public static void register() { registered = true; }\n  public static boolean is() { return registered; }\n}\n";

  /** A helper of the tests resets a private field by reflection, itself or by another helper. */
  @Test
  void helperThatReflects() throws IOException {
    main("app/Global.java", REGISTERED);
    main("app/GlobalTestUtil.java", "package app;\nimport java.lang.reflect.Field;\npublic class GlobalTestUtil {\n"
        + "  public static void resetGlobal() {\n    try {\n      Field f = Global.class.getDeclaredField(\"registered\");\n"
        + "      f.setAccessible(true);\n      f.set(null, false);\n    } catch (Exception e) {\n      throw new IllegalStateException(e);\n    }\n  }\n"
        + "  public static void clearOther() throws Exception { Global.class.getDeclaredField(\"other\").set(null, false); }\n"
        + "  public static boolean clearlyRegistered() throws Exception {\n    Field f = Global.class.getDeclaredField(\"registered\");\n"
        + "    f.setAccessible(true);\n    return f.getBoolean(null);\n  }\n"
        + "  public static void clearNothing() { System.out.println(\"registered\" + Global.class); }\n"
        + "  public static void clearByAnother() throws Exception { Statics.put(Global.class, \"registered\", false); }\n}\n");
    main("app/Statics.java", "package app;\npublic class Statics {\n  static void put(Class<?> c, String name, Object v) throws Exception {\n"
        + "    c.getDeclaredField(name).set(null, v);\n  }\n}\n");
    Api.Resets r = find("app.Global.registered");
    assertFirst("app.GlobalTestUtil.resetGlobal();", r);
    assertHas("app.GlobalTestUtil.clearByAnother();", r);
    assertFalse(statements(r).stream().anyMatch(s -> s.matches(".*clear(Other|Nothing|ly).*")), () -> statements(r).toString());
  }

  /** A test class has a private method that resets the field, and that some of its tests call. */
  @Test
  void privateMethodOfTheTestClass() throws IOException {
    main("app/Global.java", REGISTERED);
    main("app/OwnTest.java", "package app;\nimport org.junit.*;\npublic class OwnTest {\n  @Test public void runs() { Global.register(); }\n"
        + "  @Test public void cleans() throws Exception { resetGlobal(); }\n  @Before public void resetBefore() throws Exception { resetGlobal(); }\n"
        + "  private static void resetGlobal() throws Exception {\n    java.lang.reflect.Field f = Global.class.getDeclaredField(\"registered\");\n"
        + "    f.setAccessible(true);\n    f.set(null, false);\n  }\n}\n");
    Api.Resets r = find("app.Global.registered", "app.OwnTest#runs");
    assertFirst("resetGlobal();", r);
    assertFalse(statements(r).contains("resetBefore();"), () -> statements(r).toString());
    assertFalse(statements(find("app.Global.registered")).contains("resetGlobal();"));
  }

  /** The object with which a singleton begins, in its constructor or where it is made, serves as an argument of its setter. */
  @Test
  void objectWithWhichASingletonBegins() throws IOException {
    main("app/Gateway.java", "package app;\npublic interface Gateway { void pay(); }\n");
    main("app/Offline.java", "package app;\npublic class Offline implements Gateway { public void pay() {} }\n");
    main("app/Metered.java", "package app;\npublic class Metered implements Gateway { Metered(int limit) {} public void pay() {} }\n");
    for (String made : new String[] {"this.gateway = gateway;", "this.gateway = new Offline();"}) {
      main("app/Orders.java", "package app;\npublic class Orders {\n  private static Orders instance;\n  private Gateway gateway;\n"
          + "  private Orders(Gateway gateway) { " + made + " }\n"
          + "  public static Orders getInstance() { if (instance == null) instance = new Orders(new Offline()); return instance; }\n"
          + "  public void setGateway(Gateway gateway) { this.gateway = gateway; }\n}\n");
      Api.Resets r = find("app.Orders.instance");
      assertHas("app.Orders.getInstance().setGateway(new app.Offline());", r);
      assertFalse(statements(r).toString().contains("Metered"), () -> statements(r).toString());
    }
  }

  /** The first value is made of a constant, which no test mentions. */
  @Test
  void constantOfTheFirstValue() throws IOException {
    main("app/Dice.java", "package app;\npublic class Dice {\n  private static java.util.Random random = new java.util.Random(42);\n"
        + "  public static void seed(long seed) { random = new java.util.Random(seed); }\n}\n");
    assertFirst("app.Dice.seed(42L);", find("app.Dice.random"));
  }

  /** A helper that a setup makes knows what was there before; a new one does not. */
  @Test
  void objectThatTheTestClassHolds() throws IOException {
    main("app/Clock.java", "package app;\npublic class Clock {\n  static Clock now = new Clock();\n}\n");
    main("app/FixedClock.java", "package app;\npublic class FixedClock extends Clock {\n  private Clock before;\n"
        + "  public void install() { before = Clock.now; Clock.now = this; }\n  public void uninstall() { Clock.now = before; }\n}\n");
    main("app/ClockTest.java", "package app;\nimport org.junit.*;\npublic class ClockTest {\n  private FixedClock time;\n"
        + "  @Before public void before() { time = new FixedClock(); time.install(); }\n  @Test public void runs() { }\n}\n");
    Api.Resets r = find("app.Clock.now", "app.ClockTest#runs");
    assertHas("time.uninstall();", r);
    assertHas("new app.FixedClock().uninstall();", r);
  }

  @Test
  void newObjectOfAGenericClass() throws IOException {
    main("app/Names.java", "package app;\nimport java.util.concurrent.atomic.AtomicReference;\npublic class Names {\n"
        + "  private static AtomicReference<String> name = new AtomicReference<>();\n  private static AtomicReference raw = new AtomicReference();\n"
        + "  private static java.util.Map<Object, Object> all = new java.util.Properties();\n"
        + "  public static void setAll(java.util.Map<Object, Object> a) { all = a; }\n"
        + "  public static void setName(AtomicReference<String> n) { name = n; }\n  public static void setRaw(AtomicReference n) { raw = n; }\n}\n");
    assertHas("app.Names.setName(new java.util.concurrent.atomic.AtomicReference<>());", find("app.Names.name"));
    assertHas("app.Names.setRaw(new java.util.concurrent.atomic.AtomicReference());", find("app.Names.raw"));
    assertHas("app.Names.setAll(new java.util.Properties());", find("app.Names.all"));
  }

  @Test
  void namesThatNoSourceCanHold() throws IOException {
    main("app/Settings.java", "package app;\npublic class Settings {\n  private static char separator = ',';\n"
        + "  public static void setSeparator(char c) { separator = c; }\n  public static void resetAll() { separator = ','; }\n"
        + "  public static int stateNow;\n  public static void twice() { separator = '.'; stateNow = 1; }\n}\n");
    assertHas("app.Settings.resetAll();", find("app.Settings.separator"));
    Path file = root.resolve("classes/app/Settings.class");
    String bytes = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    Files.write(file, bytes.replace("resetAll", "reset(x)").replace("stateNow", "state+no").getBytes(StandardCharsets.ISO_8859_1));
    Api.ResetsRequest r = new Api.ResetsRequest();
    r.place = "app.Settings.separator";
    r.tests = Arrays.asList("app.PolluterTest#runs");
    List<String> classPath = Arrays.asList(root.resolve("classes").toString());
    r.classPath = classPath;
    r.sourceRoots = Arrays.asList(root.resolve("src").toString());
    Api.Resets got = Resets.find(new Types(new Sources(r.sourceRoots, "", null), new ClassPath(classPath)), r);
    assertHas("app.Settings.setSeparator(',');", got);
    assertFalse(statements(got).stream().anyMatch(s -> s.contains("reset(x)")), () -> statements(got).toString());
    r.place = "app.Settings.state+no";
    assertTrue(Resets.find(new Types(new Sources(r.sourceRoots, "", null), new ClassPath(classPath)), r).candidates.stream()
        .noneMatch(c -> c.statement.contains("state+no")));
  }

  @Test
  void argumentsThatOtherCodePasses() throws IOException {
    main("app/Options.java", "package app;\npublic class Options {\n  private static String flags = \"\";\n  private static boolean on;\n"
        + "  public static void setFlags(String... all) { flags = String.join(\" \", all); }\n"
        + "  public static void setFlag(String name, int n, boolean on) { flags = name + n; Options.on = on; }\n}\n");
    main("app/BaseTest.java", "package app;\npublic class BaseTest {\n  static { Options.setFlags(\"-safe\", \"+lexical\");\n"
        + "    Options.setFlag(\"deep\", 7, true); Options.setFlag(String.valueOf(1), 8, true); }\n}\n");
    Api.Resets r = find("app.Options.flags");
    assertHas("app.Options.setFlags(\"-safe\", \"+lexical\");", r);
    assertHas("app.Options.setFlag(\"deep\", 7, true);", r);
    assertFalse(statements(r).stream().anyMatch(s -> s.contains("8, true")), () -> statements(r).toString());
  }

  @Test
  void valueThatTheTestClassKeeps() throws IOException {
    main("app/Clock.java", "package app;\npublic class Clock {\n  static Object source = new Object();\n"
        + "  public static Object swap(Object now) { Object was = source; source = now; return was; }\n"
        + "  public static Object get() { return source; }\n}\n");
    for (String kept : new String[] {"Clock.swap(new Object())", "Clock.get()", "Clock.source", "(Object) Clock.swap(null)"}) {
      main("app/SavingTest.java", "package app;\npublic class SavingTest {\n  private Object saved;\n"
          + "  private Object other = new Object();\n  @org.junit.Before public void setUp() { saved = " + kept + "; }\n"
          + "  @org.junit.Test public void runs() { Clock.swap(this); }\n}\n");
      Api.Resets r = find("app.Clock.source", "app.SavingTest#runs");
      assertHas("app.Clock.swap(saved);", r);
      assertFirst("app.Clock.source = saved;", r);
      assertFalse(statements(r).stream().anyMatch(s -> s.contains("(other)")), () -> statements(r).toString());
    }
  }

  @Test
  void fieldOfALibraryBehindAnInterface() throws IOException {
    ClassesOnDisk library = new ClassesOnDisk(root.resolve("library"));
    library.add("security/Strategy.java", "package security;\ninterface Strategy {\n  void clearContext();\n}\n");
    library.add("security/Local.java", "package security;\nfinal class Local implements Strategy {\n"
        + "  private static final ThreadLocal<String> user = new ThreadLocal<>();\n  public void clearContext() { user.remove(); }\n}\n");
    library.add("security/Holder.java", "package security;\npublic class Holder {\n  private static Strategy strategy = new Local();\n"
        + "  public static void clearContext() { strategy.clearContext(); }\n}\n");
    libraries.add(library.jar());
    assertFirst("security.Holder.clearContext();", find("security.Local.user"));
  }

  @Test
  void testsAreNoResetMethods() throws IOException {
    String body = "String s = \"x\"; app.Buffers.last = s; }\n}\n";
    main("app/Buffers.java", "package app;\npublic class Buffers {\n  public static String last;\n}\n");
    main("app/OldTest.java", "package app;\npublic class OldTest extends junit.framework.TestCase {\n  public void test_bean() { " + body);
    main("app/OldestTest.java", "package app;\npublic class OldestTest extends OldTest {\n  public void test_other() { " + body);
    main("app/NewTest.java", "package app;\npublic class NewTest {\n  @org.junit.Test public void bean() { " + body);
    main("app/Filler.java", "package app;\npublic class Filler {\n  public void fill() { " + body);
    List<String> found = statements(find("app.Buffers.last"));
    assertTrue(found.contains("new app.Filler().fill();"), found::toString);
    assertFalse(found.stream().anyMatch(x -> x.contains("Test")), found::toString);
  }

  @Test
  void singletonWithALiteralOfTheTest() throws IOException {
    main("app/Jobs.java", "package app;\nimport java.util.*;\npublic final class Jobs {\n"
        + "  private static volatile Jobs instance;\n  private final Map<String, Object> all = new HashMap<>();\n"
        + "  private Jobs() {}\n"
        + "  public static Jobs getInstance() { if (instance == null) { synchronized (Jobs.class) {\n"
        + "    if (instance == null) { instance = new Jobs(); } } } return instance; }\n"
        + "  public void register(String n) { all.put(n, n); }\n"
        + "  public void shutdown(String n) { Object o = all.remove(n); if (o != null) { o.notifyAll(); } }\n"
        + "  public boolean isDown(String n) { return !all.containsKey(n); }\n}\n");
    Api.Resets r = find("app.Jobs.instance");
    assertFirst("app.Jobs.getInstance().shutdown(\"nightly\");", r);
    assertFalse(statements(r).stream().anyMatch(s -> s.contains("isDown")), () -> statements(r).toString());
  }

  @Test
  void packagePrivateOnlyForItsPackage() throws IOException {
    main("app/Cache.java", "package app;\npublic class Cache {\n  private static final java.util.List<String> ALL = new java.util.ArrayList<>();\n"
        + "  static void clear() { ALL.clear(); }\n  public static void add(String s) { ALL.add(s); }\n}\n");
    main("other/FarTest.java", TEST.replace("package app", "package other").replace("%s", "FarTest"));
    assertFirst("app.Cache.clear();", find("app.Cache.ALL"));
    Api.Resets far = find("app.Cache.ALL", "other.FarTest#runs");
    assertFalse(statements(far).contains("app.Cache.clear();"), () -> statements(far).toString());
  }

  @Test
  void inheritedAndGeneric() throws IOException {
    main("app/Base.java", "package app;\npublic abstract class Base<T> {\n  protected final java.util.Map<String, T> held = new java.util.HashMap<>();\n"
        + "  public void put(String k, T v) { held.put(k, v); }\n  public void reset() { held.clear(); }\n}\n");
    main("app/Store.java", "package app;\npublic class Store extends Base<Integer> {\n  public static final Store ONE = new Store();\n}\n");
    assertFirst("app.Store.ONE.reset();", find("app.Store.ONE"));
  }

  @Test
  void overloadsAreDistinguished() throws IOException {
    main("app/Names.java", "package app;\npublic class Names {\n  private static Object held;\n"
        + "  public static void use(String s) { held = s; }\n  public static void use(Integer i) { held = i; }\n"
        + "  public static void use(Object... all) { held = all; }\n}\n");
    Api.Resets r = find("app.Names.held");
    assertHas("app.Names.use((java.lang.String) null);", r);
    assertHas("app.Names.use((java.lang.Integer) null);", r);
    assertHas("app.Names.use((java.lang.Object[]) null);", r);
  }

  @Test
  void nestedClassAndEnum() throws IOException {
    main("app/Outer.java", "package app;\npublic class Outer {\n  public enum Mode { A, B }\n  public static class In {\n"
        + "    private static Mode mode = Mode.A;\n    public static void mode(Mode m) { mode = m; }\n  }\n}\n");
    assertHas("app.Outer.In.mode(app.Outer.Mode.A);", find("app.Outer$In.mode"));
  }

  @Test
  void interfaceDefault() throws IOException {
    main("app/Registry.java", "package app;\npublic interface Registry {\n  void remove(String n);\n"
        + "  default void removeAll() { remove(\"nightly\"); }\n}\n");
    main("app/Impl.java", "package app;\nclass Impl implements Registry {\n  private final java.util.Set<String> all = new java.util.HashSet<>();\n"
        + "  public void remove(String n) { all.remove(n); }\n}\n");
    main("app/Registries.java", "package app;\npublic class Registries {\n  private static final Registry R = new Impl();\n  public static Registry get() { return R; }\n}\n");
    assertFirst("app.Registries.get().removeAll();", find("app.Registries.R"));
  }

  /**
   * The class with the difference cannot be named. Its superclass declares the method that empties
   * it.
   */
  @Test
  void hiddenImplementation() throws IOException {
    main("app/Config.java", "package app;\npublic abstract class Config {\n  public abstract void clear();\n  public abstract Object get(String n);\n"
        + "  public static Config getInstance() { return Impl.DEFAULT; }\n"
        + "  private static final class Impl extends Config {\n    private static final Config DEFAULT = make();\n"
        + "    final java.util.Map<String, Object> cache = new java.util.HashMap<>();\n    private static Config make() { return new Impl(); }\n"
        + "    @Override public void clear() { cache.clear(); }\n    @Override public Object get(String n) { return cache.computeIfAbsent(n, k -> k); }\n  }\n}\n");
    assertFirst("app.Config.getInstance().clear();", find("app.Config$Impl.DEFAULT.cache[\"values\"]"));
  }

  /**
   * Before Java 11 a class accessed private members of a nested one through methods that the
   * compiler made.
   */
  @Test
  void nestedHolderOfOldJava() throws IOException {
    release = "8";
    main("app/Jobs.java", "package app;\npublic class Jobs {\n  private final java.util.List<String> all = new java.util.ArrayList<>();\n"
        + "  private static class Holder {\n    private static final Jobs ONE = new Jobs();\n    private static int made;\n  }\n"
        + "  public static Jobs one() { return Holder.ONE; }\n  public static void clearAll() { Holder.ONE.all.clear(); }\n"
        + "  public void add(String s) { all.add(s); }\n  public void clear() { all.clear(); }\n"
        + "  public static void forget() { Holder.made = 0; }\n}\n");
    Api.Resets r = find("app.Jobs$Holder.ONE");
    assertHas("app.Jobs.one().clear();", r);
    assertFirst("app.Jobs.forget();", find("app.Jobs$Holder.made"));
  }

  /** The accessor first assigns the object to a variable. */
  @Test
  void accessorWithAVariable() throws IOException {
    main("app/Pool.java", "package app;\npublic final class Pool {\n  private static volatile Pool one;\n  private int size;\n  private Pool() {}\n"
        + "  public static Pool get() {\n    Pool p = one;\n    if (p == null) { p = new Pool(); one = p; }\n    return p;\n  }\n"
        + "  public void grow() { size++; }\n  public void reset() { size = 0; }\n}\n");
    assertFirst("app.Pool.get().reset();", find("app.Pool.one"));
  }

  @Test
  void transitiveWriterAndThrows() throws IOException {
    main("app/State.java", "package app;\nclass State {\n  private static int n;\n  private static void zero() { n = 0; }\n"
        + "  static void inc() { n++; }\n  public static void shutdown() throws java.io.IOException { zero(); }\n}\n");
    assertFirst("app.State.shutdown();", find("app.State.n"));
  }

  @Test
  void visibleFieldsAndContainers() throws IOException {
    main("app/Open.java", "package app;\npublic class Open {\n  public static String mode = \"plain\";\n"
        + "  static final java.util.Map<String, String> MAP = new java.util.HashMap<>();\n  static final ThreadLocal<String> LOCAL = new ThreadLocal<>();\n"
        + "  static final java.util.concurrent.atomic.AtomicInteger COUNT = new java.util.concurrent.atomic.AtomicInteger();\n}\n");
    assertFirst("app.Open.mode = \"plain\";", find("app.Open.mode"));
    assertFirst("app.Open.MAP.clear();", find("app.Open.MAP"));
    assertFirst("app.Open.LOCAL.remove();", find("app.Open.LOCAL"));
    assertHas("app.Open.COUNT.set(0);", find("app.Open.COUNT"));
  }

  @Test
  void runningObjectIsEnded() throws IOException {
    main("app/Jobs.java", "package app;\npublic class Jobs {\n  public static java.util.concurrent.ExecutorService pool;\n"
        + "  public static java.util.Timer timer;\n  private static java.net.ServerSocket socket;\n  public static java.io.PrintStream log;\n"
        + "  static java.net.ServerSocket socket() { return socket; }\n}\n");
    assertFirst("app.Jobs.pool.shutdownNow();", find("app.Jobs.pool"));
    assertHas("app.Jobs.pool = null;", find("app.Jobs.pool"));
    assertFirst("app.Jobs.timer.cancel();", find("app.Jobs.timer"));
    assertFirst("app.Jobs.socket().close();", find("app.Jobs.socket"));
    assertEquals(Arrays.asList("app.Jobs.log = null;"), statements(find("app.Jobs.log")));
  }

  @Test
  void statementOfASimpleResetMethod() throws IOException {
    main("app/Hidden.java", "package app;\nimport java.util.*;\npublic final class Hidden {\n"
        + "  private static final Map<String, String> KNOWN = new HashMap<>();\n  private static List<String> names = new ArrayList<>();\n"
        + "  private static final Set<String> FILLED = new HashSet<>();\n  private static List<String> filled = new ArrayList<>();\n"
        + "  private static final List<String> NAMELESS = new ArrayList<String>() {};\n  private static final Thread OTHER = new Thread();\n"
        + "  private static int level = 3;\n  private static String mode;\n  private static String drawn = System.getenv(\"HOME\");\n"
        + "  private static String[] sorted = null;\n  private static int twice = 1;\n  private static int chosen = 1;\n"
        + "  static { FILLED.add(\"a\"); filled.add(\"b\"); sort(); twice = 2; chosen = FILLED.size(); }\n"
        + "  private static void sort() { fill(); }\n  private static void fill() { sorted = new String[] {mode}; }\n"
        + "  static void clear() { sorted = null; level = 0; }\n}\n");
    assertEquals("twice = 2;", find("app.Hidden.twice").body);
    assertEquals("KNOWN.clear();", find("app.Hidden.KNOWN").body);
    assertEquals("names = new ArrayList<>();", find("app.Hidden.names").body);
    assertEquals("level = 3;", find("app.Hidden.level").body);
    assertEquals("mode = null;", find("app.Hidden.mode").body);
    for (String f : new String[] {"FILLED", "filled", "NAMELESS", "OTHER", "drawn", "sorted", "chosen"}) {
      assertEquals(null, find("app.Hidden." + f).body, f);
    }
  }

  @Test
  void harmfulMethodsAreNotCalled() throws IOException {
    main("app/Home.java", "package app;\npublic class Home {\n  private static java.io.File dir;\n"
        + "  public static void use(java.io.File f) { dir = f; }\n  private static void wipe() { dir.delete(); }\n"
        + "  public static void reset() { wipe(); dir = null; }\n  public static void end() { dir = null; System.exit(1); }\n}\n");
    assertEquals(Arrays.asList("app.Home.use(null);"), statements(find("app.Home.dir")).stream()
        .filter(s -> !s.contains("new ")).collect(Collectors.toList()));
  }

  @Test
  void missingStateIsSetUp() throws IOException {
    main("app/Units.java", "package app;\npublic class Units {\n  private static java.util.Map<String, Integer> all;\n"
        + "  public static void clear() { all = null; }\n  public static void loadAll() { all = new java.util.HashMap<>(); }\n}\n");
    assertFirst("app.Units.clear();", find("app.Units.all"));
    sets = true;
    assertFirst("app.Units.loadAll();", find("app.Units.all"));
  }

  @Test
  void damagedClassesAreSkipped() {
    assertEquals(null, CompiledClass.read(new byte[0]));
    assertEquals(null, CompiledClass.read(new byte[] {(byte) 0xca, (byte) 0xfe, (byte) 0xba, (byte) 0xbe, 0, 0, 0, 52, 0, 9, 1, 127}));
  }

  @Test
  void privateStateIsUnreachable() throws IOException {
    main("app/Numbers.java", "package app;\npublic final class Numbers {\n  private static final java.util.Map<String, String> CACHE = new java.util.HashMap<>();\n"
        + "  private Numbers() {}\n  public static boolean has(String s) { return CACHE.containsKey(s); }\n}\n");
    Api.Resets r = find("app.Numbers.CACHE");
    assertTrue(r.known);
    assertEquals("app.Numbers.CACHE", r.field);
    assertEquals(0, r.found, () -> statements(r).toString());
    assertFalse(find("app.Nowhere.x").known);
    assertFalse(find("").known);
    assertFalse(find("system property a.b").known);
    assertTrue(find("app.Numbers.CACHE[\"vdm\"].x").known);
  }
}
