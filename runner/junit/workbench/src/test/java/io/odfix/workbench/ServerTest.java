package io.odfix.workbench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Strange and hostile input: each request gets one answer with a code and a sentence, and the
 * server continues.
 */
class ServerTest {
  private static final String SANE = "package p;\nimport org.junit.Test;\npublic class ATest {\n"
      + "  static int n;\n  @Test public void one() { n = 0; }\n  @Test public void two() { if (n > 0) { n--; } }\n}\n";

  private static final String ODD = "(){};\"'/*@<>.=\r\n\\u0\0 ";

  @TempDir
  Path root;

  private final Server server = new Server(new PrintStream(new ByteArrayOutputStream()));

  private void write(String path, byte[] bytes) throws IOException {
    Path p = root.resolve(path);
    Files.createDirectories(p.getParent());
    Files.write(p, bytes);
  }

  private void write(String path, String text) throws IOException {
    write(path, text.getBytes(StandardCharsets.UTF_8));
  }

  private Map<String, Object> params(Object... more) {
    Map<String, Object> p = new LinkedHashMap<>();
    p.put("sourceRoots", Collections.singletonList(root.toString()));
    for (int i = 0; i < more.length; i += 2) {
      p.put((String) more[i], more[i + 1]);
    }
    return p;
  }

  private JsonObject ask(String op, Map<String, Object> params) {
    Map<String, Object> request = new LinkedHashMap<>();
    request.put("id", 7);
    request.put("op", op);
    request.put("params", params);
    JsonObject a = server.answer(new Gson().toJson(request));
    assertEquals(7, a.get("id").getAsInt());
    return a;
  }

  private JsonObject script(String helper) {
    return ask("script", params("helpers", Collections.singletonList(helper)));
  }

  private static void assertRefused(JsonObject answer, String code, String says) {
    assertTrue(answer.has("error"), answer::toString);
    assertEquals(code, answer.getAsJsonObject("error").get("code").getAsString(), answer::toString);
    String message = answer.getAsJsonObject("error").get("message").getAsString();
    assertTrue(message.contains(says), message);
  }

  @Test
  void invalidRequests() {
    assertRefused(server.answer("{"), "bad-request", "JSON");
    assertRefused(server.answer("[]"), "bad-request", "JSON");
    assertRefused(server.answer("{\"id\":1}"), "bad-request", "JSON");
    assertRefused(server.answer("{\"id\":1,\"op\":\"script\"}"), "bad-request", "params");
    assertRefused(server.answer("{\"id\":1,\"op\":\"dance\",\"params\":{}}"), "bad-request", "dance");
    assertRefused(server.answer("{\"id\":1,\"op\":\"script\",\"params\":{\"helpers\":3}}"), "bad-request", "script");
    assertRefused(ask("script", new LinkedHashMap<>()), "no-roots", "roots");
    assertRefused(ask("script", params()), "no-helpers", "helper");
    assertRefused(ask("outline", params()), "bad-request", "a class");
    assertRefused(ask("compile", params()), "bad-request", "files");
  }

  @Test
  void testsThatCannotBeFound() throws IOException {
    write("p/ATest.java", SANE);
    assertRefused(script("ATest"), "bad-test-id", "Class#method");
    assertRefused(script("p.ATest#"), "bad-test-id", "Class#method");
    assertRefused(script("p.ATest#[0]"), "bad-test-id", "no Java method");
    assertRefused(script("p/ATest#one"), "bad-test-id", "no Java class");
    assertRefused(script("../ATest#one"), "bad-test-id", "no Java class");
    assertRefused(script("p.BTest#one"), "no-source", "p.BTest");
    assertRefused(script("p.ATest$Inner#one"), "no-source", "p.ATest$Inner");
    assertRefused(script("q.ATest#one"), "no-source", "q.ATest");
    assertRefused(script("p.ATest#three"), "no-method", "three");
    assertTrue(script("p.ATest#one[0]").has("result"));
    assertTrue(script("p.All>p.ATest#one~2").has("result"));
  }

  @Test
  void otherLanguages() throws IOException {
    write("p/KTest.kt", "package p\nclass KTest");
    write("p/GTest.groovy", "package p\nclass GTest {}");
    assertRefused(script("p.KTest#one"), "language", "KTest.kt");
    assertRefused(script("p.GTest#one"), "language", "Java sources only");
  }

  @Test
  void sourcesThatDoNotParse() throws IOException {
    write("p/ATest.java", "package p; public class ATest { void one( }");
    assertRefused(script("p.ATest#one"), "unparsable", "line 1");
    write("p/BTest.java", new byte[] {0, 1, 2, (byte) 0xff, (byte) 0xfe});
    assertRefused(script("p.BTest#one"), "unparsable", "BTest.java");
    write("p/CTest.java", "");
    assertRefused(script("p.CTest#one"), "no-source", "p.CTest");
    StringBuilder deep = new StringBuilder("package p; public class DTest { int x = ");
    deep.append(String.join("", Collections.nCopies(200_000, "(")));
    write("p/DTest.java", deep.toString());
    assertTrue(script("p.DTest#one").has("error"));
  }

  @Test
  void outsideTheRoots(@TempDir Path elsewhere) throws IOException {
    Path f = Files.write(elsewhere.resolve("XTest.java"), SANE.getBytes(StandardCharsets.UTF_8));
    Sources sources = new Sources(Arrays.asList(root.toString()), "", null);
    for (Path outside : Arrays.asList(f, root.resolve("../" + elsewhere.getFileName() + "/XTest.java"))) {
      assertEquals("outside", assertThrows(Problem.class, () -> sources.read(outside)).code);
    }
    // A class path entry gives names, never a file to edit.
    assertRefused(ask("render", params("helpers", Arrays.asList("java.lang.String#length"), "keep",
        Collections.emptyList())), "no-source", "java.lang.String");
  }

  @Test
  void encodings() throws IOException {
    String umlaut = SANE.replace("n--;", "System.out.println(\"\u00fc\");");
    write("p/ATest.java", umlaut.getBytes(StandardCharsets.ISO_8859_1));
    Map<String, Object> p = params("helpers", Arrays.asList("p.ATest#one"), "keep", Arrays.asList("0.1"), "place",
        place("victim-start", "p.ATest#two"));
    JsonObject f = ask("render", p).getAsJsonObject("result").getAsJsonArray("files").get(0).getAsJsonObject();
    byte[] data = java.util.Base64.getDecoder().decode(f.get("data").getAsString());
    // A file that is not UTF-8 keeps its bytes.
    assertTrue(new String(data, StandardCharsets.ISO_8859_1).contains("\u00fc"));
    p.put("encoding", "klingon");
    assertRefused(ask("render", p), "encoding", "klingon");
    // Statements may contain characters that the target file's encoding does not have.
    write("p/ATest.java", SANE);
    write("p/BTest.java", SANE.replace("ATest", "BTest").replace("n = 0;", "System.out.println(\"\\u20ac\");"));
    p.put("helpers", Arrays.asList("p.BTest#one"));
    p.put("keep", Arrays.asList("0.0"));
    p.put("encoding", "UTF-8");
    assertTrue(ask("render", p).has("result"));
  }

  private static Map<String, Object> place(String kind, String test) {
    Map<String, Object> p = new LinkedHashMap<>();
    p.put("kind", kind);
    p.put("test", test);
    return p;
  }

  @Test
  void invalidPlacesAndStatements() throws IOException {
    write("p/ATest.java", SANE);
    Map<String, Object> p = params("helpers", Arrays.asList("p.ATest#one"), "keep", Arrays.asList("0.0"));
    assertRefused(ask("render", p), "no-place", "no place");
    p.put("place", place("nowhere", "p.ATest#two"));
    assertRefused(ask("render", p), "no-place", "nowhere");
    p.put("place", place("victim-start", "p.ATest#two"));
    p.put("keep", Arrays.asList("9.9"));
    assertRefused(ask("render", p), "no-statement", "9.9");
    p.put("keep", Collections.emptyList());
    assertRefused(ask("render", p), "nothing", "nothing of what was kept");
    p.put("keep", Arrays.asList("0.0"));
    p.put("style", "baroque");
    assertRefused(ask("render", p), "bad-style", "baroque");
  }

  @Test
  void hugeFile() throws IOException {
    StringBuilder s = new StringBuilder(SANE.substring(0, SANE.lastIndexOf('}')));
    for (int i = 0; s.length() < 2 << 20; i++) {
      s.append("  @Test public void m").append(i).append("() { n += ").append(i).append("; }\n");
    }
    write("p/ATest.java", s.append("}\n").toString());
    assertTrue(script("p.ATest#one").has("result"));
    write("p/BTest.java", new byte[Source.MAX_BYTES + 1]);
    assertRefused(script("p.BTest#one"), "too-large", "MB");
  }

  /** A source damaged anywhere is answered or refused, never a failure of the workbench. */
  @Test
  void damagedSources() throws IOException {
    byte[] sane = Files.readAllBytes(java.nio.file.Paths.get("src/test/golden/switches/before/app/SwitchesTest.java"));
    Random random = new Random(3);
    for (int i = 0; i < 300; i++) {
      byte[] b = sane.clone();
      int from = random.nextInt(b.length);
      for (int j = from; j < Math.min(b.length, from + 1 + random.nextInt(6)); j++) {
        b[j] = (byte) ODD.charAt(random.nextInt(ODD.length()));
      }
      write("app/SwitchesTest.java", b);
      Map<String, Object> p = params("helpers", Arrays.asList("app.SwitchesTest#everything"), "keep",
          Arrays.asList("0.0", "0.1", "0.2", "0.3", "0.4"), "close", true, "switched", i % 2 == 0, "place",
          place("polluter-teardown", "app.SwitchesTest#everything"));
      JsonObject a = ask("render", p);
      boolean failed = a.has("error") && a.getAsJsonObject("error").get("code").getAsString().equals("internal");
      assertFalse(failed, () -> a + "\n" + new String(b, StandardCharsets.ISO_8859_1));
    }
  }

  @Test
  void servesUntilTheInputEnds() throws Exception {
    write("p/ATest.java", SANE);
    Map<String, Object> request = new LinkedHashMap<>();
    request.put("id", 1);
    request.put("op", "script");
    request.put("params", params("helpers", Arrays.asList("p.ATest#two")));
    String line = new Gson().toJson(request) + "\n\nnonsense\n";
    java.io.PipedOutputStream sink = new java.io.PipedOutputStream();
    java.io.BufferedReader said = new java.io.BufferedReader(new java.io.InputStreamReader(
        new java.io.PipedInputStream(sink, 1 << 16), StandardCharsets.UTF_8));
    new Server(new PrintStream(sink, true, "UTF-8")).serve(
        new ByteArrayInputStream(line.getBytes(StandardCharsets.UTF_8)));
    assertTrue(JsonParser.parseString(said.readLine()).getAsJsonObject().get("compiler").getAsBoolean());
    String both = said.readLine() + said.readLine();
    assertTrue(both.contains("\"id\":1") && both.contains("bad-request"), both);
  }
}
