package io.odfix.workbench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Texts that are to be one statement or one field, and unicode escapes that javac translates. */
class OneStatementTest {
  private final OneStatement one = new OneStatement();

  @TempDir
  Path root;

  @Test
  void statements() {
    for (String yes : new String[] {"a.B.c();", "a.B.c = new java.util.HashMap<>();",
        "new a.B((java.lang.String) null, 'x', \"\\u00fc\", -1L);",
        "if (a != null) { a.close(); }",
        "java.lang.reflect.Field f = a.B.class.getDeclaredField(\"c\");", "a.get().all[\"k\"] = a.C.class;"}) {
      assertTrue(one.isStatement(yes), yes);
    }
    for (String no : new String[] {null, "", ";", "a();b();", "{ a(); }", "if (x) { a(); b(); }", "if (x) a(); else b();", "return;",
        "a(); // b",
        "a(/* */);", "a()", "while (true) a();", "a(); }", "class A {}", "x: a();",
        "a(\"\\u0022);", "a(/* \\u002a/);", "throw x;"}) {
      assertFalse(one.isStatement(no), no);
    }
  }

  @Test
  void fields() {
    for (String yes : new String[] {"int a = 1", "java.util.Map<String, ?> b = new java.util.HashMap<>(c.d())", "int[] a = b.c"}) {
      assertTrue(one.isField(yes), yes);
    }
    for (String no : new String[] {null, "", "int a", "int a = 1, b = 2", "int a = 1; int b = 2", "int a = 1; { c(); }", "static int a = 1",
        "int a() { return 1; }", "@B int a = 1", "int a = 1 //", "int a = 1 /* */", "class A {}"}) {
      assertFalse(one.isField(no), no);
    }
  }

  @Test
  void candidatesThatAreSeveral() {
    List<Api.Reset> all = new ArrayList<>();
    for (String s : new String[] {"a();", "a(); b();"}) {
      for (String field : new String[] {"int a = 1", "int a = 1, b = 2"}) {
        Api.Reset r = new Api.Reset();
        r.statement = s;
        r.fields.add(field);
        all.add(r);
      }
    }
    one.filter(all);
    assertEquals(1, all.size());
    all.get(0).lead.add("a(); b();");
    one.filter(all);
    assertEquals(0, all.size());
  }

  @Test
  void unicodeEscapes() {
    for (String yes : new String[] {"a();", "a(\"\\u00fc\\\\u0022\", '\\uu0041');", "a('\"', \"//\", '\\''); // b",
        "a(\"\"\"\n \" \\u00fc \"\"\", \"/*\\u00fc\");",
        "/* \" */ a(\"\\u00fc\");"}) {
      assertTrue(UnicodeEscapes.areHarmless(yes), yes);
    }
    for (String no : new String[] {"a(/* \\u002a/ b);", "// \\u000a a();", "// \" \r\\u0061();", "\\u0061();", "/* \\u00fc */",
        "a(\"\\u0022);", "a('\\u0027);",
        "a(\"\\u005c\");", "a(\"\\u000a\");",
        "a(\"\\uuu000D\");", "a(\"\"\" \\u0022\"\" + b \"\"\");", "a(\"\\u00f\");",
        "a(\"\" /* \" */ \\u0061);", "a(\"\\\\\" + \\u0061);"}) {
      assertFalse(UnicodeEscapes.areHarmless(no), no);
    }
  }

  private Api.AttemptRequest request(String... helper) throws IOException {
    Api.AttemptRequest r = new Api.AttemptRequest();
    ClassesOnDisk disk = new ClassesOnDisk(root);
    disk.add("app/Mode.java", "package app;\npublic enum Mode { A, B }\n");
    disk.add("app/Settings.java", "package app;\npublic class Settings {\n"
        + "  static final String NAME = \"\\u00fc\" + \"x\";\n"
        + "  public static void setMode(Mode m) {}\n  public static void name(String n, int i) {}\n}\n");
    disk.add("app/HelperTest.java", "package app;\nimport org.junit.Test;\npublic class HelperTest {\n"
        + "  private static final int N = 1 /* \\u0041 */ + 2;\n  @Test public void helps() {\n    " + String.join("\n    ", helper) + "\n  }\n}\n");
    disk.add("other/VictimTest.java", "package other;\nimport org.junit.Test;\npublic class VictimTest {\n  @Test public void fails() {\n  }\n}\n");
    disk.compiled(r);
    r.helpers = Arrays.asList("app.HelperTest#helps");
    r.place = new Api.Place();
    r.place.kind = "victim-start";
    r.place.test = "other.VictimTest#fails";
    return r;
  }

  private static List<String> problems(Api.AttemptRequest r, String... keep) {
    r.keep = Arrays.asList(keep);
    List<String> out = new ArrayList<>();
    Renderer.render(new Server.Workspace().types(r), r).problems.forEach(p -> out.add(p.statement + " " + p.code));
    return out;
  }

  @Test
  void statementsOfHelpersWithUnicodeEscapes() throws IOException {
    Api.AttemptRequest r = request("Settings.setMode(/* \\u002a/ Mode.B); if (Mode.values().length > 0) return; Settings.setMode(/* */ Mode.B);",
        "Settings.name(\"\\u00fc\", 0);", "Settings.name(\"\", N);", "Settings.name(\"\", 1); // \\u0041");
    assertEquals(Arrays.asList("0.1 escape"), problems(r, "0.1"));
    assertEquals(Arrays.asList(), problems(r, "0.2"));
    assertEquals(Arrays.asList("0.3 escape"), problems(r, "0.3"));
    assertEquals(Arrays.asList(), problems(r, "0.4"));
    r.style = "method";
    assertEquals(Arrays.asList("0.1 escape"), problems(r, "0.1"));
  }

  private static void made(Api.AttemptRequest r, String field, String... statements) {
    r.made = new Api.Made();
    r.made.fields = field == null ? null : Arrays.asList(field);
    r.made.statements = Arrays.asList(statements);
    r.helpers = Arrays.asList(Made.HELPER);
  }

  @Test
  void madeTextsThatAreSeveral() throws IOException {
    Api.AttemptRequest r = request("Settings.setMode(Mode.B);");
    made(r, "app.Mode saved = app.Mode.A", "app.Settings.setMode(saved);", "System.gc();");
    assertEquals(Arrays.asList(), problems(r, "0.1", "0.2"));
    made(r, null, "System.gc(); System.gc(); System.gc();");
    assertEquals("made", assertThrows(Problem.class, () -> problems(r, "0.0")).code);
    made(r, "int a = 1, b = 2", "app.Settings.name(\"\", a);");
    assertEquals("made", assertThrows(Problem.class, () -> problems(r, "0.1")).code);
    made(r, "int a = 1; int b", "app.Settings.name(\"\", a);");
    assertEquals("made", assertThrows(Problem.class, () -> problems(r, "0.1")).code);
  }

  @Test
  void keptPartsOfMadeStatements() throws IOException {
    Api.AttemptRequest r = request("Settings.setMode(Mode.B);");
    made(r, null, "if (app.Mode.values().length > 0) { app.Settings.setMode(null); }");
    assertEquals(Arrays.asList(), problems(r, "0.0"));
    for (String id : new String[] {"0.0.0", "0.1", "1.0", ""}) {
      assertEquals("no-statement", assertThrows(Problem.class, () -> problems(r, "0.0", id), id).code, id);
    }
    r.made = new Api.Made();
    r.made.annotate = Arrays.asList("org.junit.Ignore");
    assertEquals("not-jupiter", assertThrows(Problem.class, () -> problems(r, "0.0")).code);
    assertEquals("no-statement", assertThrows(Problem.class, () -> problems(r, "0.0", "0.1")).code);
    r.made.annotate = null;
    r.made.unshare = Arrays.asList("other.VictimTest.held");
    assertEquals("no-statement", assertThrows(Problem.class, () -> problems(r, "0.0", "0.1")).code);
  }
}
