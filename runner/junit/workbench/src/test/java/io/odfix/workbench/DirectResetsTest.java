package io.odfix.workbench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Statements that undo a known difference: they remove an entry, add it again, or set the earlier
 * value, as a person would write it.
 */
class DirectResetsTest {
  private static final String REGISTRY = "package app;\nimport java.util.*;\npublic final class Registry {\n"
      + "  private static final Registry ONE = new Registry();\n  private final Map<String, Class<?>> all = new HashMap<>();\n"
      + "  public static Registry getInstance() { return ONE; }\n"
      + "  public void register(String n, Class<?> c) { all.put(n, c); }\n"
      + "  public void remove(String n) { all.remove(n); }\n"
      + "  public void unregister(Class<?> c) { all.values().remove(c); }\n}\n";

  @TempDir
  Path root;

  private ClassesOnDisk disk;

  @BeforeEach
  void begin() {
    disk = new ClassesOnDisk(root);
    disk.add("app/PolluterTest.java", "package app;\npublic class PolluterTest {\n  public void runs() { int limit = 4711; Object o = Thread.class; }\n}\n");
  }

  private Api.Resets find(boolean sets, String place, String path, String before, String after) throws IOException {
    Api.ResetsRequest r = new Api.ResetsRequest();
    r.place = place;
    r.sets = sets;
    r.tests = Arrays.asList("app.PolluterTest#runs");
    if (path != null) {
      Api.Change c = new Api.Change();
      c.path = place + path;
      c.before = before;
      c.after = after;
      r.changes.add(c);
    }
    return Resets.find(disk.compiled(r), r);
  }

  private Api.Resets find(String place, String path, String before, String after) throws IOException {
    return find(false, place, path, before, after);
  }

  private static List<String> statements(Api.Resets r) {
    return r.candidates.stream().map(c -> String.join("; ", c.fields) + (c.fields.isEmpty() ? "" : " | ") + c.statement).collect(Collectors.toList());
  }

  private static void assertFirst(String want, Api.Resets got) {
    assertFalse(got.candidates.isEmpty(), "nothing was found");
    assertEquals(want, statements(got).get(0), () -> statements(got).toString());
  }

  private static void assertHas(String want, Api.Resets got) {
    assertTrue(statements(got).contains(want), () -> want + " is not among " + statements(got));
  }

  @Test
  void addedEntryIsRemovedByItsKey() throws IOException {
    disk.add("app/Registry.java", REGISTRY);
    Api.Resets r = find("app.Registry.ONE", ".all[\"v\\\"d.m]\"]", "absent", "PolluterTest");
    assertFirst("app.Registry.getInstance().remove(\"v\\\"d.m]\");", r);
    assertHas("app.Registry.getInstance().unregister(app.PolluterTest.class);", r);
  }

  /**
   * A container holds the state, and no static field of the project leads to it. The test class
   * has the object that changes it.
   */
  @Test
  void objectsOfTheTestClassAreCalled() throws IOException {
    disk.add("app/World.java", "package app;\nimport java.util.*;\nclass World {\n  private final Map<String, String> context = new HashMap<>();\n"
        + "  void put(String k, String v) { context.put(k, v); }\n  void drop(String k) { context.remove(k); }\n}\n");
    disk.add("app/Worlds.java", "package app;\npublic interface Worlds {\n  void put(String k, String v);\n  void remove(String k);\n  String name();\n}\n");
    disk.add("app/Facade.java", "package app;\nclass Facade implements Worlds {\n  private final World world = new World();\n"
        + "  public void put(String k, String v) { world.put(k, v); }\n  public void remove(String k) { world.drop(k); }\n"
        + "  public String name() { return \"\"; }\n}\n");
    disk.add("app/Container.java", "package app;\npublic class Container {\n  private static final java.util.Map<Class<?>, Object> BEANS = new java.util.HashMap<>();\n"
        + "  public static Object get(Class<?> c) { return BEANS.computeIfAbsent(c, k -> new Facade()); }\n}\n");
    disk.add("app/Base.java", "package app;\npublic class Base {\n  private Worlds hidden;\n  protected Worlds inherited;\n}\n");
    disk.add("app/PolluterTest.java", "package app;\npublic class PolluterTest extends Base {\n"
        + "  private final Worlds worlds = (Worlds) Container.get(Worlds.class);\n  private String name;\n"
        + "  public void runs() { worlds.put(\"size\", \"5\"); }\n}\n");
    Api.Resets r = find("app.Container.BEANS", "[Class].world.context[\"size\"]", "absent", "\"5\"");
    assertHas("worlds.remove(\"size\");", r);
    assertFirst("inherited.remove(\"size\");", r);
    assertTrue(statements(r).stream().noneMatch(s -> s.startsWith("hidden.") || s.contains(".name()")), () -> statements(r).toString());
    assertTrue(statements(find("app.Container.BEANS", "[Class].world.other[\"size\"]", "absent", "\"5\"")).stream().noneMatch(s -> s.startsWith("worlds.")));
  }

  @Test
  void missingEntryIsPutBackWithItsValue() throws IOException {
    disk.add("app/Registry.java", REGISTRY);
    assertFirst("app.Registry.getInstance().register(\"vdm\", app.PolluterTest.class);",
        find("app.Registry.ONE", ".all[\"vdm\"]", "PolluterTest", "absent"));
  }

  /** Setting the earlier value alone would leave the server socket open. */
  @Test
  void openObjectIsClosedFirst() throws IOException {
    disk.add("app/Front.java", "package app;\npublic class Front {\n  public static java.net.ServerSocket socket;\n}\n");
    Api.Resets r = find("app.Front.socket", "", "null", "ServerSocket");
    assertFirst("app.Front.socket.close();", r);
    assertHas("app.Front.socket = null;", r);
  }

  /** A description of a value has no package names, so all classes of this simple name are tried. */
  @Test
  void allClassesOfOneNameAreTried() throws IOException {
    disk.add("app/Registry.java", REGISTRY);
    disk.add("app/Vdm.java", "package app;\npublic class Vdm {}\n");
    disk.add("other/Vdm.java", "package other;\npublic class Vdm {}\n");
    Api.Resets r = find("app.Registry.ONE", ".all[\"vdm\"]", "Vdm", "absent");
    assertHas("app.Registry.getInstance().register(\"vdm\", app.Vdm.class);", r);
    assertHas("app.Registry.getInstance().register(\"vdm\", other.Vdm.class);", r);
  }

  @Test
  void brittleGetsTheMissingState() throws IOException {
    disk.add("app/Registry.java", REGISTRY);
    assertFirst("app.Registry.getInstance().register(\"vdm\", app.PolluterTest.class);",
        find(true, "app.Registry.ONE", ".all[\"vdm\"]", "absent", "PolluterTest"));
  }

  /** The project has no name for its first value; a getter and a setter are enough to keep it. */
  @Test
  void replacedObjectIsKeptAndGivenBack() throws IOException {
    disk.add("app/Defaults.java", "package app;\npublic final class Defaults {\n  private static Defaults current = new Defaults(2);\n"
        + "  private final int retries;\n  public Defaults(int retries) { this.retries = retries; }\n"
        + "  public static Defaults current() { return current; }\n"
        + "  public static void use(Defaults d) { current = java.util.Objects.requireNonNull(d); }\n}\n");
    assertHas("app.Defaults savedCurrent = app.Defaults.current() | app.Defaults.use(savedCurrent);", find("app.Defaults.current", ".retries", "2", "0"));
    disk.add("app/Time.java", "package app;\npublic class Time {\n  public static java.time.Clock clock = java.time.Clock.systemUTC();\n}\n");
    assertHas("java.time.Clock savedClock = app.Time.clock | app.Time.clock = savedClock;", find("app.Time.clock", ".instant", "null", "Instant"));
    disk.add("app/Fixed.java", "package app;\npublic class Fixed {\n  static final Defaults ONE = Defaults.current();\n}\n");
    assertTrue(statements(find("app.Fixed.ONE", ".retries", "2", "0")).stream().noneMatch(s -> s.contains("savedOne")));
  }

  /** What a map of the class holds is reached by a method that takes the key. */
  @Test
  void valueOfAKeyIsReachedByAMethod() throws IOException {
    disk.add("app/Acl.java", "package app;\nimport java.util.*;\npublic final class Acl {\n"
        + "  private static final Map<String, Set<String>> RULES = new HashMap<>();\n"
        + "  public static Set<String> rules(String role) { return RULES.computeIfAbsent(role, r -> new HashSet<>()); }\n"
        + "  static void drop(String role) { RULES.remove(role); }\n}\n");
    assertHas("app.Acl.rules(\"reader\").remove(\"write\");", find("app.Acl.RULES", "[\"reader\"][\"write\"]", "absent", "present"));
  }

  /** Elements that were sorted, or set, are what they were, wherever they can be reached. */
  @Test
  void changedElementsArePutBack() throws IOException {
    disk.add("app/Countries.java", "package app;\nimport java.util.*;\npublic class Countries {\n"
        + "  private static final List<String> ALL = new ArrayList<>(Arrays.asList(\"de\", \"at\"));\n  static final int[] SIZES = {2, 1};\n"
        + "  public static List<String> all() { return ALL; }\n}\n");
    assertHas("java.util.List<java.lang.String> savedAll = new java.util.ArrayList<>(app.Countries.all())"
        + " | java.util.Collections.copy(app.Countries.all(), savedAll);", find("app.Countries.ALL", "[0]", "\"de\"", "\"at\""));
    assertHas("int[] savedSizes = app.Countries.SIZES.clone() | System.arraycopy(savedSizes, 0, app.Countries.SIZES, 0, savedSizes.length);",
        find("app.Countries.SIZES", "[0]", "2", "1"));
  }

  @Test
  void containerReachedByAGetter() throws IOException {
    disk.add("app/Names.java", "package app;\nimport java.util.*;\npublic class Names {\n  private static final Set<String> ALL = new HashSet<>();\n"
        + "  public static Set<String> getAll() { return ALL; }\n}\n");
    Api.Resets r = find("app.Names.ALL", "[\"x\"]", "absent", "present");
    assertFirst("app.Names.getAll().remove(\"x\");", r);
    assertHas("java.util.Collection<?> savedAll = new java.util.ArrayList<>(app.Names.getAll()) | app.Names.getAll().retainAll(savedAll);", r);
    r = find("app.Names.ALL", "[\"x\"]", "present", "absent");
    assertFirst("app.Names.getAll().add(\"x\");", r);
  }

  /** A collection without a first element was empty. A queue has no index. */
  @Test
  void emptyContainerIsCleared() throws IOException {
    disk.add("app/Names.java", "package app;\nimport java.util.*;\npublic class Names {\n  static final List<String> ALL = new ArrayList<>();\n"
        + "  static final Queue<Object> QUEUE = new ArrayDeque<>();\n}\n");
    for (String field : Arrays.asList("app.Names.ALL", "app.Names.QUEUE")) {
      assertFirst(field + ".clear();", find(field, "[0]", "absent", "\"x\""));
      assertFalse(statements(find(field, "[0]", "\"x\"", "absent")).contains(field + ".add(0);"), "a place was added");
    }
    assertFalse(statements(find("app.Names.QUEUE", "[0]", "absent", "\"x\"")).contains("app.Names.QUEUE.remove(0);"), "a place was removed");
  }

  @Test
  void deepFieldByItsSetter() throws IOException {
    disk.add("app/Config.java", "package app;\npublic class Config {\n  public enum Mode { SLOW, FAST, ODD }\n  private static Config it = new Config();\n"
        + "  private final Inner inner = new Inner();\n  public static Config get() { return it; }\n  public Inner inner() { return inner; }\n"
        + "  public static class Inner {\n    private Mode mode = Mode.ODD;\n    private int size;\n    public void setMode(Mode m) { mode = m; }\n"
        + "    public Mode getMode() { return mode; }\n    public void setSize(int n) { size = n; }\n    public int getSize() { return size; }\n  }\n}\n");
    Api.Resets r = find("app.Config.it", ".inner.mode", "ODD", "FAST");
    assertFirst("app.Config.get().inner().setMode(app.Config.Mode.ODD);", r);
    assertHas("app.Config.Mode savedMode = app.Config.get().inner().getMode() | app.Config.get().inner().setMode(savedMode);", r);
    r = find("app.Config.it", ".inner.size", "17", "4");
    assertFirst("app.Config.get().inner().setSize(17);", r);
    assertHas("int savedSize = app.Config.get().inner().getSize() | app.Config.get().inner().setSize(savedSize);", r);
  }

  /** The getter is the instance's, and a static method sets its field. */
  @Test
  void staticSetterOfAnInstance() throws IOException {
    disk.add("app/Context.java", "package app;\npublic final class Context {\n  private static final Context ONE = new Context();\n  private Store store = new Store();\n"
        + "  public static Context get() { return ONE; }\n  public Store getStore() { return store; }\n  public static void init(Store s) { ONE.store = s; }\n}\n");
    disk.add("app/Store.java", "package app;\npublic class Store { String name = \"a\"; }\n");
    assertHas("app.Store savedStore = app.Context.get().getStore() | app.Context.init(savedStore);", find("app.Context.ONE", ".store.name", "\"a\"", "\"b\""));
  }

  /** A value without a source text is saved before the test. */
  @Test
  void objectIsSaved() throws IOException {
    disk.add("app/Clock.java", "package app;\npublic class Clock {\n  private static Clock current = new Clock(3);\n  private Clock(int n) {}\n"
        + "  public static Clock get() { return current; }\n  public static void set(Clock c) { current = c; }\n}\n");
    assertHas("app.Clock savedCurrent = app.Clock.get() | app.Clock.set(savedCurrent);", find("app.Clock.current", "", "Clock", "lambda of ClockTest"));
  }

  /**
   * The saved value has its type's arguments, where source text can name them. A number is set to
   * its earlier value, whatever the name of the setter.
   */
  @Test
  void savedKeepsItsType() throws IOException {
    disk.add("app/Wording.java", "package app;\nimport java.util.*;\nimport java.util.function.*;\npublic class Wording {\n"
        + "  private static Function<? super String, Map.Entry<String, int[]>[]> how;\n  private static int depth = 17;\n"
        + "  public static Function<? super String, Map.Entry<String, int[]>[]> how() { return how; }\n"
        + "  public static void how(Function<? super String, Map.Entry<String, int[]>[]> f) { how = f; }\n"
        + "  public static int depth() { return depth; }\n  public static void depth(int n) { depth = n; }\n}\n");
    assertHas("java.util.function.Function<? super java.lang.String, java.util.Map.Entry<java.lang.String, int[]>[]> savedHow = app.Wording.how()"
        + " | app.Wording.how(savedHow);", find("app.Wording.how", "", "lambda of Wording", "lambda of PolluterTest"));
    assertFirst("app.Wording.depth(17);", find("app.Wording.depth", "", "17", "4"));
  }

  @Test
  void testsLiteralsAreArguments() throws IOException {
    disk.add("app/Limits.java", "package app;\npublic class Limits {\n  private static Object held;\n  public static void forget(int n) { held = n; }\n"
        + "  public static void forget(Class<?> c) { held = c; }\n}\n");
    Api.Resets r = find("app.Limits.held", null, null, null);
    assertHas("app.Limits.forget(4711);", r);
    assertHas("app.Limits.forget(java.lang.Thread.class);", r);
  }

  @Test
  void fieldPassedToAMethodThatChangesIt() throws IOException {
    disk.add("app/Parsers.java", "package app;\nimport java.util.*;\npublic class Parsers {\n  private static Map<String, Object> all = new HashMap<>();\n"
        + "  public static void register(String n, Object o) { register(all, n, o); }\n"
        + "  private static void register(Map<String, Object> into, String n, Object o) { into.put(n, o); }\n}\n");
    assertFirst("app.Parsers.register(\"vdm\", \"on\");", find("app.Parsers.all", "[\"vdm\"]", "\"on\"", "absent"));
  }

  /**
   * Text from a hostile process gets into source only as a literal, or if it is a known name.
   */
  @Test
  void hostileDescriptions() throws IOException {
    disk.add("app/Registry.java", REGISTRY);
    for (String path : new String[] {".all[\"a\"+evil()+\"b\"]", ".all[evil()]", ".all[", ".", "[]", "..", ".all[\"\\q\"]", ".nothing", ".all[\"a\"].b", " …", ""}) {
      Api.Resets r = find("app.Registry.ONE", path, "evil(); x", "1); evil(");
      assertFalse(statements(r).stream().anyMatch(s -> s.replaceAll("\"(\\\\.|[^\"])*\"", "").contains("evil")), () -> path + statements(r));
    }
  }
}
