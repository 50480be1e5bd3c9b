package io.odfix.workbench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a test's code does to a library or to the JDK is undone by the opposite call. */
class OppositeCallsTest {
  @TempDir
  Path root;

  private ClassesOnDisk disk;

  @BeforeEach
  void begin() {
    disk = new ClassesOnDisk(root);
    disk.add("lib/Feature.java", "package lib;\npublic enum Feature { STRICT, FAST }\n");
    disk.add("lib/Mapper.java", "package lib;\npublic class Mapper {\n  public Mapper configure(Feature f, boolean on) { return this; }\n"
        + "  public void setLevel(String l) {}\n  public String getLevel() { return null; }\n  public void enable(Feature f) {}\n"
        + "  public void disable(Feature f) {}\n  public static Mapper named(String name) { return null; }\n}\n");
    disk.add("app/Json.java", "package app;\nimport lib.*;\npublic final class Json {\n  private static final Mapper MAPPER = new Mapper();\n"
        + "  public static Mapper mapper() { return MAPPER; }\n  static void quiet() { mapper().setLevel(\"error\"); }\n}\n");
  }

  /** The statements for a test class with this body, each with its field. */
  private List<String> find(String body) throws IOException {
    disk.add("app/PolluterTest.java", "package app;\nimport lib.*;\npublic class PolluterTest {\n" + body + "\n}\n");
    Api.ClosingRequest r = new Api.ClosingRequest();
    r.tests = Arrays.asList("app.PolluterTest#runs");
    return ClosingStatements.find(disk.compiled(r), r).candidates.stream()
        .map(c -> String.join("; ", c.fields) + (c.fields.isEmpty() ? "" : " | ") + c.statement).collect(Collectors.toList());
  }

  private void assertFinds(String want, String body) throws IOException {
    List<String> got = find(body);
    assertTrue(got.contains(want), () -> want + " is not among " + got);
  }

  /** The object is in a private constant of the code, and is got again as the constant was, or by a getter. */
  @Test
  void objectOfAPrivateConstant() throws IOException {
    disk.add("lib/Log.java", "package lib;\npublic interface Log {\n  static Log of(String name) { return null; }\n}\n");
    disk.add("lib/Logs.java", "package lib;\npublic final class Logs {\n  public static Log get(String name) { return null; }\n}\n");
    disk.add("lib/RealLog.java", "package lib;\npublic class RealLog implements Log {\n  public void setAdditive(boolean on) {}\n}\n");
    disk.add("app/Audit.java", "package app;\nimport lib.*;\npublic final class Audit {\n  private static final RealLog LOG = (RealLog) Logs.get(\"audit\");\n"
        + "  public static void separate() { LOG.setAdditive(false); }\n}\n");
    disk.add("app/Two.java", "package app;\nimport lib.*;\npublic final class Two {\n  private static final RealLog A = (RealLog) Logs.get(\"a\");\n"
        + "  private static final RealLog B = (RealLog) Logs.get(\"b\");\n  static RealLog b() { return B; }\n  static void set() { B.setAdditive(true); A.setAdditive(true); }\n}\n");
    assertFinds("((lib.RealLog) lib.Logs.get(\"audit\")).setAdditive(true);", "  public void runs() { Audit.separate(); }");
    List<String> two = find("  public void runs() { Two.set(); }");
    assertTrue(two.contains("app.Two.b().setAdditive(false);") && two.stream().noneMatch(x -> x.contains("Logs.get")), two::toString);
  }

  @Test
  void truthValueIsTurned() throws IOException {
    assertFinds("app.Json.mapper().configure(lib.Feature.STRICT, true);", "  public void runs() { Json.mapper().configure(Feature.STRICT, false); }");
    assertFinds("app.Json.mapper().disable(lib.Feature.FAST);", "  public void runs() { Json.mapper().enable(Feature.FAST); }");
  }

  @Test
  void valueIsKeptWhereAGetterGivesIt() throws IOException {
    assertFinds("java.lang.String savedLevel = app.Json.mapper().getLevel() | app.Json.mapper().setLevel(savedLevel);",
        "  public void runs() { Json.quiet(); }");
    assertFinds("java.lang.String savedLevel = lib.Mapper.named(\"a, \\\"b\").getLevel() | lib.Mapper.named(\"a, \\\"b\").setLevel(savedLevel);",
        "  public void runs() { Mapper.named(\"a, \\\"b\").setLevel(\"debug\"); }");
  }

  @Test
  void whatTheJdkKeepsIsRemoved() throws IOException {
    disk.add("app/Fast.java", "package app;\npublic class Fast extends java.security.Provider {\n  public Fast() { super(\"Fast\", 1, \"\"); }\n}\n");
    assertFinds("java.security.Security.removeProvider(\"Fast\");", "  public void runs() { java.security.Security.insertProviderAt(new Fast(), 1); }");
    assertFinds("java.beans.PropertyEditorManager.registerEditor(app.Json.class, null);",
        "  public void runs() { java.beans.PropertyEditorManager.registerEditor(Json.class, Thread.class); }");
  }

  /** What a test adds is in a field of its own. */
  @Test
  void whatAFieldHoldsIsRemoved() throws IOException {
    assertFinds("java.util.logging.Logger.getLogger(\"app\").removeHandler(handler);", "  private java.util.logging.ConsoleHandler handler, other;\n"
        + "  public void runs() { java.util.logging.Logger.getLogger(\"app\").addHandler(handler); }");
    assertEquals(0, find("  private java.util.logging.ConsoleHandler handler;\n"
        + "  public void runs() { java.util.logging.Logger.getLogger(\"app\").addHandler(null); }").stream().filter(s -> s.contains("handler")).count());
  }

  @Test
  void opposite() throws IOException {
    disk.add("lib/Converters.java", "package lib;\npublic class Converters {\n  public static void register(Object c, Class<?> of) {}\n"
        + "  public static void deregister() {}\n  public static void deregister(Class<?> of) {}\n  static void removeAll() {}\n}\n");
    disk.add("app/Strict.java", "package app;\npublic class Strict {\n  public Strict() { lib.Converters.register(new Object(), Integer.class); }\n}\n");
    assertFinds("lib.Converters.deregister(java.lang.Integer.class);", "  public void runs() { new Strict(); }");
    assertFinds("lib.Converters.deregister();", "  public void runs() { new Strict(); }");
  }

  /** What deletes, ends the process, or is no trial any more is not called, in a library either. */
  @Test
  void harmIsNotDone() throws IOException {
    ClassesOnDisk library = new ClassesOnDisk(root.resolve("library"));
    library.add("disk/Disk.java", "package disk;\npublic class Disk {\n  public static void create(String path) {}\n"
        + "  public static void delete(String path) {}\n  public static void drop() {}\n  public static void start() {}\n"
        + "  public static void stop() { System.exit(1); }\n  public static void setUp(boolean b) { System.exit(2); }\n"
        + "  public static void run(boolean trial) {}\n  public static void pause() {}\n}\n");
    disk.libraries.add(library.jar());
    String body = "  public void runs() { disk.Disk.create(\"/home\"); disk.Disk.start(); disk.Disk.setUp(true); disk.Disk.run(true); }";
    assertEquals(Arrays.asList(), find(body).stream().filter(s -> s.contains("Disk")).collect(Collectors.toList()));
  }

  /** Of many calls, few statements follow. */
  @Test
  void fewStatements() throws IOException {
    StringBuilder body = new StringBuilder("  static Mapper shared;\n");
    for (int i = 0; i < 40; i++) {
      body.append("  public void t").append(i).append("() { Json.mapper().setLevel(\"l").append(i).append("\"); shared.enable(Feature.FAST); }\n");
    }
    List<String> got = find(body + "  public void runs() {}");
    assertTrue(got.contains("shared.disable(lib.Feature.FAST);"), got::toString);
    assertTrue(got.stream().filter(s -> s.contains(" | ")).count() <= 2 && got.size() <= 12, got::toString);
  }

  /** A local object ends with the test, and what a framework for tests does is its own affair. */
  @Test
  void othersAreLeftAlone() throws IOException {
    disk.add("org/mockito/Mocks.java", "package org.mockito;\npublic class Mocks {\n  public static void setStrict(boolean on) {}\n}\n");
    assertEquals(Arrays.asList(), find("  public void runs() { new Mapper().enable(Feature.FAST); org.mockito.Mocks.setStrict(true);"
        + " new StringBuilder().setLength(1); new java.util.ArrayList<String>().add(\"x\"); }"));
  }
}
