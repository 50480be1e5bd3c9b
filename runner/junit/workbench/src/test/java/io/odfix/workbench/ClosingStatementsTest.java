package io.odfix.workbench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Objects that a test class may have left open are closed by its own fields, or by the framework
 * that opened them.
 */
class ClosingStatementsTest {
  @TempDir
  Path root;

  private ClassesOnDisk disk;

  private ClassesOnDisk disk() {
    disk = disk == null ? new ClassesOnDisk(root) : disk;
    return disk;
  }

  private List<String> find(String body) throws IOException {
    ClassesOnDisk disk = disk();
    disk.add("org/mockito/Mockito.java", "package org.mockito;\npublic class Mockito {\n  public static AutoCloseable mockStatic(Class<?> c) { return null; }\n}\n");
    disk.add("org/mockito/MockedStatic.java", "package org.mockito;\npublic interface MockedStatic<T> extends AutoCloseable {}\n");
    disk.add("app/BaseTest.java", "package app;\nclass BaseTest {\n  java.util.Timer inherited;\n  private java.util.Timer hidden;\n}\n");
    disk.add("app/OpenTest.java", "package app;\nimport java.util.*;\nimport java.util.concurrent.*;\npublic class OpenTest extends BaseTest {\n" + body + "\n}\n");
    Api.ClosingRequest r = new Api.ClosingRequest();
    r.tests = Arrays.asList("app.OpenTest#runs");
    return ClosingStatements.find(disk.compiled(r), r).candidates.stream().map(c -> c.statement).collect(Collectors.toList());
  }

  @Test
  void fieldsAreClosedByTheirClassesMethod() throws IOException {
    assertEquals(Arrays.asList("jobs.shutdownNow();", "inherited.cancel();",
        "if (jobs != null) { jobs.shutdownNow(); }", "if (link != null) { link.close(); }", "if (inherited != null) { inherited.cancel(); }"),
        find("  private ExecutorService jobs;\n  static AutoCloseable link;\n  String name;\n  java.io.StringWriter text;\n  public void runs() { }"));
  }

  @Test
  void objectsOfOthersAreNotClosed() throws IOException {
    disk().add("app/Wiring.java", "package app;\nimport java.lang.annotation.*;\n@Retention(RetentionPolicy.RUNTIME)\npublic @interface Wiring {}\n");
    disk().add("app/Wild.java", "package app;\npublic class Wild implements AutoCloseable {\n  public void close() { System.exit(3); }\n}\n");
    disk().add("app/Player.java", "package app;\npublic class Player {\n  public void stop() {}\n}\n");
    assertEquals(Arrays.asList(), find("  @Wiring Timer wired;\n  static final Timer ALL = new Timer();\n  Thread worker;\n  Scanner in;\n  Wild wild;\n"
        + "  Player player;\n  public void runs() { }").stream().filter(s -> !s.contains("inherited")).collect(Collectors.toList()));
  }

  /** A class overrides the teardown of its superclass, and forgets to call it. */
  @Test
  void overriddenTeardown() throws IOException {
    disk().add("app/RootTest.java", "package app;\nabstract class RootTest {\n  protected void setUp() {}\n  protected void tearDown() { System.clearProperty(\"a\"); }\n"
        + "  protected abstract void cleanUp();\n  private void stop() {}\n  public void shouldCloseAfterReset() {}\n  protected void close() { System.clearProperty(\"b\"); }\n}\n");
    disk().add("app/WipingTest.java", "package app;\nabstract class WipingTest extends RootTest {\n  protected void tearDown() { System.exit(1); }\n}\n");
    disk().add("app/Wired.java", "package app;\nclass Wired { void close() {} }\n");
    for (String[] c : new String[][] {{"RootTest", "", "super.close();, super.tearDown();"}, {"RootTest", "super.tearDown();", "super.close();"},
        {"RootTest", "super.setUp();", "super.close();, super.tearDown();"}, {"WipingTest", "", "super.close();"}}) {
      disk().add("app/OverTest.java", "package app;\npublic class OverTest extends " + c[0] + " {\n  Wired link = new Wired();\n  protected void setUp() {}\n"
          + "  protected void tearDown() { " + c[1] + " }\n  protected void cleanUp() {}\n  void stop() {}\n  public void shouldCloseAfterReset() {}\n"
          + "  protected void close() { link.close(); }\n  public void runs() {}\n}\n");
      Api.ClosingRequest r = new Api.ClosingRequest();
      r.tests = Arrays.asList("app.OverTest#runs");
      assertEquals(c[2], ClosingStatements.find(disk().compiled(r), r).candidates.stream().map(x -> x.statement).filter(x -> x.startsWith("super")).sorted()
          .collect(Collectors.joining(", ")), c[0] + " " + c[1]);
    }
  }

  /** A database that is not in memory may be somebody's own. */
  @Test
  void databaseInMemoryIsEmptied() throws IOException {
    disk().add("app/Store.java", "package app;\npublic class Store {\n  public Store(String url) {}\n  public void deleteAll() {}\n}\n");
    String body = "  private final Store store = new Store(\"%s\");\n  public void runs() { }";
    assertEquals(Arrays.asList("store.deleteAll();"), own(String.format(body, "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1")));
    assertEquals(Arrays.asList(), own(String.format(body, "jdbc:h2:file:/var/shop")));
    String memory = String.format(body, "jdbc:h2:mem:shop");
    assertEquals(Arrays.asList(), own(memory + "\n  Store real = new Store(\"jdbc:postgresql:shop\");"));
    assertEquals(Arrays.asList(), own("  Store store = new Store(System.getProperty(\"url\", \"jdbc:h2:mem:shop\"));\n  public void runs() { }"));
    assertEquals(Arrays.asList(), own("  Store store;\n  void open(Store s) { store = s; }\n  public void runs() { \"jdbc:h2:mem:x\".length(); }"));
  }

  private List<String> own(String body) throws IOException {
    return find(body).stream().filter(s -> !s.contains("inherited")).collect(Collectors.toList());
  }

  @Test
  void whatAFrameworkGivesIsEmptiedOrReset() throws IOException {
    disk().add("app/Wiring.java", "package app;\nimport java.lang.annotation.*;\n@Retention(RetentionPolicy.RUNTIME)\npublic @interface Wiring {}\n");
    disk().add("app/Store.java", "package app;\npublic interface Store {\n  void clear();\n  void deleteAll();\n  void delete(int id);\n}\n");
    String body = "  @Wiring private Store store;\n  private Store own;\n  public void runs() { %s }";
    assertEquals(Arrays.asList("store.clear();"), of("store.", String.format(body, "")));
    assertEquals(Arrays.asList("org.mockito.Mockito.reset(store);"), of("org.mockito.Mockito.reset", String.format(body, "org.mockito.Mockito.mockStatic(null);")));
  }

  @Test
  void serversAreStopped() throws IOException {
    disk().add("app/Server.java", "package app;\npublic class Server {\n  public void start() {}\n  public void stop() {}\n}\n");
    assertEquals("server.stop();", find("  Server server;\n  public void runs() { }").get(0));
  }

  @Test
  void staticMockInAFieldIsClosed() throws IOException {
    assertEquals(Arrays.asList("mock.close();", "if (mock != null) { mock.close(); }"),
        find("  org.mockito.MockedStatic<?> mock = null;\n  public void runs() { org.mockito.Mockito.mockStatic(String.class); }")
            .stream().filter(s -> s.contains("ock")).collect(Collectors.toList()));
  }

  @Test
  void staticMockThatTestsCloseIsClosedAgain() throws IOException {
    disk().add("org/mockito/MockedStatic.java", "package org.mockito;\npublic interface MockedStatic<T> extends AutoCloseable {\n  void closeOnDemand();\n}\n");
    for (String[] c : new String[][] {{"", "mock.close();, mock.closeOnDemand();"}, {"mock.close();", "mock.closeOnDemand();"}}) {
      disk().add("app/ClosedTest.java", "package app;\npublic class ClosedTest {\n  private final org.mockito.MockedStatic<?> mock = null;\n"
          + "  public void runs() throws Exception { " + c[0] + " }\n}\n");
      Api.ClosingRequest r = new Api.ClosingRequest();
      r.tests = Arrays.asList("app.ClosedTest#runs");
      assertEquals(c[1], ClosingStatements.find(disk().compiled(r), r).candidates.stream().map(x -> x.statement).filter(x -> !x.startsWith("if"))
          .collect(Collectors.joining(", ")));
    }
  }

  /** A setup of the class fills the static field before all its tests, so that no test finds it empty. */
  @Test
  void staticFieldThatASetupFills() throws IOException {
    disk().add("app/Once.java", "package app;\nimport java.lang.annotation.*;\n@Retention(RetentionPolicy.RUNTIME)\npublic @interface Once {}\n");
    assertEquals(Arrays.asList("jobs.shutdownNow();", "if (jobs != null) { jobs.shutdownNow(); }", "if (other != null) { other.shutdownNow(); }"),
        find("  static ExecutorService jobs;\n  static ExecutorService other;\n  @org.junit.BeforeClass public static void begin() { jobs = Executors.newCachedThreadPool(); }\n  public void runs() { }")
            .stream().filter(s -> s.contains("shutdownNow")).collect(Collectors.toList()));
  }

  @Test
  void staticMocksAreClearedByTheFramework() throws IOException {
    assertEquals(Arrays.asList("inherited.cancel();", "if (inherited != null) { inherited.cancel(); }", "org.mockito.Mockito.framework().clearInlineMocks();"),
        find("  public void runs() { org.mockito.Mockito.mockStatic(String.class); }"));
  }

  @Test
  void sharedMocksAreReset() throws IOException {
    disk().add("org/mockito/Mockito.java", "package org.mockito;\npublic class Mockito {\n  public static <T> T mock(Class<T> c) { return null; }\n"
        + "  public static <T> void reset(T... mocks) {}\n}\n");
    disk().add("app/Shared.java", "package app;\npublic class Shared {\n  static final String NAME = String.valueOf(7);\n"
        + "  static final java.util.logging.Logger LOG = java.util.logging.Logger.getLogger(NAME);\n"
        + "  public static final Runnable GATE = org.mockito.Mockito.mock(Runnable.class);\n"
        + "  private static Runnable hidden;\n  static void run() { hidden.run(); }\n}\n");
    disk().add("app/Service.java", "package app;\npublic final class Service {\n  void run() {}\n}\n");
    disk().add("app/Plain.java", "package app;\npublic class Plain {\n  public static Runnable gate;\n}\n");
    Api.ClosingRequest r = new Api.ClosingRequest();
    r.tests = Arrays.asList("app.TellingTest#runs");
    disk().add("app/TellingTest.java", "package app;\npublic class TellingTest {\n  static Service own = org.mockito.Mockito.mock(Service.class);\n"
        + "  public void runs() { Shared.LOG.info(Shared.NAME); Shared.GATE.run(); Shared.run(); Plain.gate.run(); own.run(); }\n}\n");
    assertEquals(Arrays.asList("org.mockito.Mockito.reset(app.Shared.GATE);", "org.mockito.Mockito.reset(own);"),
        ClosingStatements.find(disk().compiled(r), r).candidates.stream().map(c -> c.statement).collect(Collectors.toList()));
    // An inherited one is got from the subclass in compiled code.
    disk().add("app/MailBase.java", "package app;\npublic abstract class MailBase {\n"
        + "  protected static final Runnable MAILER = org.mockito.Mockito.mock(Runnable.class);\n}\n");
    disk().add("app/TellingTest.java", "package app;\npublic class TellingTest extends MailBase {\n  public void runs() { MAILER.run(); }\n}\n");
    assertEquals(Arrays.asList("org.mockito.Mockito.reset(MAILER);"),
        ClosingStatements.find(disk().compiled(r), r).candidates.stream().map(c -> c.statement).collect(Collectors.toList()));
  }

  @Test
  void whatTheClassSetsInTheJdkIsSavedAndRestored() throws IOException {
    assertEquals(Arrays.asList("Thread.currentThread().setContextClassLoader(savedContextClassLoader);",
        "java.util.logging.Logger.getLogger(\"shop\").setLevel(savedLevel);"),
        find("  public void runs() { Thread.currentThread().setContextClassLoader(null); }\n"
            + "  void quiet() { java.util.logging.Logger.getLogger(\"shop\").setLevel(null); }").stream()
            .filter(s -> s.contains("saved")).collect(Collectors.toList()));
  }

  @Test
  void whatTheClassHasKeptIsRestoredFirst() throws IOException {
    List<String> found = find("  private final java.io.PrintStream before = System.out;\n  private static java.util.Locale old = java.util.Locale.getDefault();\n"
        + "  private ClassLoader loader;\n  private java.io.PrintStream other = new java.io.PrintStream(System.err);\n"
        + "  private Object untyped = java.util.Locale.getDefault();\n  private java.io.InputStream alias = System.in;\n"
        + "  void setUp() { loader = Thread.currentThread().getContextClassLoader(); System.setOut(null); }\n"
        + "  public void runs() { Thread.currentThread().setContextClassLoader(null); java.util.Locale.setDefault(null); System.setErr(other); }");
    assertEquals(Arrays.asList("Thread.currentThread().setContextClassLoader(loader);", "java.util.Locale.setDefault(old);", "System.setOut(before);"),
        found.subList(0, 3));
    assertFalse(found.toString().matches(".*(setErr|setIn|untyped).*"));
  }

  @Test
  void librariesThatTheTestReachesAreReset() throws IOException {
    ClassesOnDisk library = new ClassesOnDisk(root.resolve("library"));
    library.add("cache/Provider.java", "package cache;\npublic interface Provider extends AutoCloseable {\n  Object manager();\n  void close();\n  void close(String name);\n}\n");
    library.add("cache/Caching.java", "package cache;\npublic final class Caching {\n  public static Provider provider() { return null; }\n"
        + "  public static Provider newProvider() { return null; }\n  public static Provider provider(String name) { return null; }\n}\n");
    library.add("cache/Holder.java", "package cache;\npublic class Holder {\n  public static void set(String user) {}\n  public static void clearContext() {}\n"
        + "  static void resetAll() {}\n  public void clear() {}\n  public static void exit() {}\n"
        + "  public static void clearAll(String... names) {}\n  public static void purge() {}\n"
        + "  public static void shutdown() { end(); }\n  private static void end() { System.exit(0); }\n}\n");
    disk().add("app/Factory.java", "package app;\npublic interface Factory {\n  Object make();\n}\n");
    disk().add("app/Made.java", "package app;\npublic class Made implements Factory {\n  public Object make() { cache.Caching.newProvider().manager();"
        + " cache.Caching.provider(\"a\").manager(); return cache.Caching.provider().manager(); }\n  void unused() { cache.Holder.set(\"\"); }\n}\n");
    disk().libraries.add(library.jar());
    assertEquals(Arrays.asList("cache.Caching.provider(\"a\").close();", "cache.Caching.provider().close();"), of("cache.", "  Factory f = new Made();\n  public void runs() { f.make(); }"));
    assertEquals(Arrays.asList("cache.Holder.clearContext();"), of("cache.", "  public void runs() { cache.Holder.set(\"me\"); System.gc(); }"));
  }

  /** Their state may be where it is not observed, such as in a library for logging. */
  @Test
  void ownClassesThatTheTestReachesAreReset() throws IOException {
    disk().add("app/Context.java", "package app;\npublic class Context {\n  public static void push(String s) { Deep.set(s); }\n"
        + "  public static void clear() { Deep.set(null); }\n  public static void reset(int n) {}\n  static void clearAll() {}\n"
        + "  public void clearMine() {}\n}\nclass Deep {\n  static void set(String s) {}\n  public static void reset() {}\n}\n");
    disk().add("app/Unused.java", "package app;\npublic class Unused {\n  public static void reset() {}\n}\n");
    assertEquals(Arrays.asList("app.Context.clear();", "app.Deep.reset();"), of("app.", "  public void runs() { Context.push(\"a\"); }"));
  }

  private List<String> of(String names, String body) throws IOException {
    return find(body).stream().filter(s -> s.startsWith(names)).collect(Collectors.toList());
  }
}
