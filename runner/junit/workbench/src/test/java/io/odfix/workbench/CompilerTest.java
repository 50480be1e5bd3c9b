package io.odfix.workbench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The result of a compilation. */
class CompilerTest {
  @TempDir
  Path temp;

  private final Compiler compiler = new Compiler();

  private Api.Compiled compile(String name, String text, String... args) {
    Api.CompileRequest r = new Api.CompileRequest();
    r.files.put(temp.resolve("src/" + name + ".java").toString(), text);
    r.outDir = temp.resolve("out").toString();
    r.options.classPath = Collections.singletonList(r.outDir);
    r.options.args = Arrays.asList(args);
    return compiler.compile(r);
  }

  @Test
  void writesClassesAndNothingElse() throws Exception {
    Files.createDirectories(temp.resolve("out/p"));
    Files.write(temp.resolve("out/p/Other.java"), "package p; this is no Java".getBytes("UTF-8"));
    Api.Compiled c = compile("A", "package p; class A { Runnable r = new Runnable() { public void run() {} }; }");
    assertTrue(c.ok);
    try (Stream<Path> all = Files.list(temp.resolve("out/p"))) {
      assertEquals("[A$1.class, A.class, Other.java]", all.map(f -> f.getFileName().toString()).sorted().collect(Collectors.toList()).toString());
    }
    // A class is taken from the class path. A source next to it is never compiled.
    assertTrue(compile("B", "package p; class B extends A {}").ok);
    assertFalse(compile("C", "package p; class C extends Other {}").ok);
  }

  @Test
  void namesExceptionsInFull() {
    Api.Compiled c = compile("A", "package p; class A { void m() { throw new E(); } void n() { Thread.sleep(1); }\n"
        + "static class E extends Exception {} }");
    assertFalse(c.ok);
    assertEquals(Arrays.asList("p.A.E", "java.lang.InterruptedException"), c.unreported);
  }

  @Test
  void reportsLineAndReason() {
    Api.Compiled c = compile("A", "package p;\nclass A {\n  int n = missing;\n}\n");
    Api.Diagnostic d = c.diagnostics.get(0);
    assertEquals("error", d.kind);
    assertEquals("compiler.err.cant.resolve.location", d.code);
    assertEquals(3, d.line);
    assertTrue(d.file.endsWith("A.java"));
    assertTrue(d.message.contains("missing"), d.message);
  }

  @Test
  void warningsDoNotFail() {
    assertTrue(compile("A", "class A { java.util.List l; }", "-Xlint:all", "-Werror").ok);
  }

  @Test
  void optionsOfTheCompilersJvmAreIgnored() {
    assertTrue(compile("A", "class A {}", "-J--add-exports=jdk.compiler/com.sun.tools.javac.api=ALL-UNNAMED", "-J-Xmx1g").ok);
  }

  @Test
  void optionsOfErrorProneAreIgnored() {
    assertTrue(compile("A", "class A {}", "-Xplugin:ErrorProne -Xep:DeadException:WARN", "-Xep:NullAway:ERROR",
        "-XepOpt:NullAway:AnnotatedPackages=app", "-XepDisableWarningsInGeneratedCode").ok);
  }

  @Test
  void invalidOptions() {
    Problem p = assertThrows(Problem.class, () -> compile("A", "class A {}", "--frobnicate"));
    assertEquals("compiler-options", p.code);
    assertTrue(p.getMessage().contains("frobnicate"), p.getMessage());
  }

  @Test
  void failingProcessorIsLeftOut() throws Exception {
    Path services = temp.resolve("out/META-INF/services");
    Files.createDirectories(services);
    Files.write(services.resolve("javax.annotation.processing.Processor"), "no.such.Processor\n".getBytes("UTF-8"));
    assertTrue(compile("A", "class A {}").ok);
    assertTrue(compile("B", "class B { String s = \"lombok\"; }").ok);
    Api.Compiled c = compile("C", "class C { int n = missing; }");
    assertFalse(c.ok);
    assertEquals("compiler.err.cant.resolve.location", c.diagnostics.get(0).code);
  }
}
