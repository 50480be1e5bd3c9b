package io.odfix.workbench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each folder below src/test/golden is a small test source tree and the patches asked for; see its
 * README.md. Every answer is compared byte for byte, and every patch is compiled.
 */
class GoldenTest {
  private static final Path GOLDEN = Paths.get("src/test/golden");
  private static final boolean UPDATE = Boolean.getBoolean("golden.update");

  /** The file case.json. */
  static final class Case {
    String encoding = "";
    String source = "8";
    List<String> script;
    String target;
    Map<String, Patch> patches = new LinkedHashMap<>();
  }

  /**
   * One patch. keep has beginnings of statements' texts, ids, or "*" for all statements at the top.
   */
  static final class Patch {
    Api.Made made;
    List<String> helpers;
    List<String> keep;
    boolean switched;
    boolean open;
    Api.Place place;
    String style;
    String comment;
    String method;
  }

  /** One workbench for all cases, as in the server, with a warm compiler. */
  private final Server.Workspace workspace = new Server.Workspace();
  private final Map<Path, List<String>> compiled = new LinkedHashMap<>();

  @TempDir
  Path temp;

  @TestFactory
  Stream<DynamicTest> golden() throws IOException {
    try (Stream<Path> all = Files.list(GOLDEN)) {
      List<Path> cases = all.filter(p -> Files.isRegularFile(p.resolve("case.json"))).sorted()
          .collect(Collectors.toList());
      assertTrue(cases.size() >= 8, "golden cases are missing");
      return cases.stream().flatMap(this::tests).collect(Collectors.toList()).stream();
    }
  }

  private Stream<DynamicTest> tests(Path dir) {
    Case c = read(dir);
    List<DynamicTest> tests = new ArrayList<>();
    if (c.script != null) {
      tests.add(DynamicTest.dynamicTest(dir.getFileName() + "/script", () -> script(dir, c)));
    }
    c.patches.forEach((name, p) -> tests.add(
        DynamicTest.dynamicTest(dir.getFileName() + "/" + name, () -> patch(dir, c, name, p))));
    return tests.stream();
  }

  private static Case read(Path dir) {
    try {
      return new Gson().fromJson(new String(Files.readAllBytes(dir.resolve("case.json")), StandardCharsets.UTF_8),
          Case.class);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private <T extends Api.Project> T project(Path dir, Case c, T request) throws IOException {
    request.sourceRoots = Arrays.asList(dir.resolve("before").toAbsolutePath().toString());
    request.encoding = c.encoding;
    if (!compiled.containsKey(dir)) {
      compiled.put(dir, compile(dir, c));
    }
    request.classPath = compiled.get(dir);
    return request;
  }

  /** Compiles the case's sources as a project's build would. */
  private List<String> compile(Path dir, Case c) throws IOException {
    Path out = temp.resolve(dir.getFileName() + "-classes");
    List<String> classPath = new ArrayList<>(Arrays.asList(out.toString()));
    String path = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    classPath.addAll(Arrays.asList(path.split(File.pathSeparator)));
    Api.CompileRequest r = new Api.CompileRequest();
    r.options = options(c, classPath);
    r.outDir = out.toString();
    for (Path root : Arrays.asList(GOLDEN.resolve("main"), dir.resolve("before"))) {
      try (Stream<Path> all = Files.walk(root)) {
        for (Path p : all.filter(f -> f.toString().endsWith(".java")).collect(Collectors.toList())) {
          r.files.put(p.toAbsolutePath().toString(), Source.read(p, c.encoding).text);
        }
      }
    }
    Api.Compiled done = workspace.compiler.compile(r);
    assertTrue(done.ok, () -> "the case itself does not compile: " + new Gson().toJson(done.diagnostics));
    return classPath;
  }

  private static Api.Options options(Case c, List<String> classPath) {
    Api.Options o = new Api.Options();
    o.classPath = classPath;
    o.args = Arrays.asList("-source", c.source, "-target", c.source);
    return o;
  }

  private void script(Path dir, Case c) throws IOException {
    Api.ScriptRequest r = project(dir, c, new Api.ScriptRequest());
    r.helpers = c.script;
    r.target = c.target;
    StringBuilder text = new StringBuilder();
    for (Api.Statement s : Scripts.of(workspace.types(r), r).statements) {
      list(s, "", text);
    }
    compare(dir.resolve("script.txt"), text.toString().getBytes(StandardCharsets.UTF_8));
  }

  private static void list(Api.Statement s, String indent, StringBuilder out) {
    out.append(indent).append(s.id).append(' ').append(s.role).append(' ')
        .append(Paths.get(s.file).getFileName()).append(':').append(s.line)
        .append(s.declares.isEmpty() ? "" : " declares " + s.declares)
        .append(s.needs.isEmpty() ? "" : " needs " + s.needs).append(s.assertion ? " assertion" : "")
        .append(s.returns ? " returns" : "").append(s.shared ? " shared" : "")
        .append(" | ").append(s.text.replaceAll("\\s+", " ")).append('\n');
    s.inner.forEach(i -> list(i, indent + "  ", out));
  }

  private void patch(Path dir, Case c, String name, Patch p) throws IOException {
    Api.AttemptRequest r = project(dir, c, new Api.AttemptRequest());
    r.made = p.made;
    r.helpers = p.helpers;
    r.place = p.place;
    r.style = p.style;
    r.switched = p.switched;
    r.comment = p.comment;
    r.method = p.method;
    r.close = !p.open;
    r.options = options(c, r.classPath);
    r.outDir = temp.resolve(dir.getFileName() + "-" + name).toString();
    StringBuilder answer = new StringBuilder();
    Path after = dir.resolve("after").resolve(name);
    try {
      r.keep = Made.unshares(r.made) || Made.annotates(r.made) ? p.keep : ids(r, p.keep);
      Api.Attempted a = Attempt.run(workspace, r);
      describe(a, answer);
      assertTrue(a.ok || a.code != null);
      assertTrue(!"compile".equals(a.code), () -> a.reason + "\n" + a.rendered.files.get(0).text);
      for (Api.File f : a.rendered.files) {
        Path rel = dir.resolve("before").toAbsolutePath().relativize(Paths.get(f.path));
        compare(after.resolve(rel.toString()), Base64.getDecoder().decode(f.data));
      }
    } catch (Problem e) {
      answer.append("refused ").append(e.code).append(": ")
          .append(e.getMessage().replace(dir.toAbsolutePath().toString(), ".")).append('\n');
    }
    compare(after.resolve("answer.txt"), answer.toString().getBytes(StandardCharsets.UTF_8));
  }

  private List<String> ids(Api.AttemptRequest r, List<String> keep) {
    List<String> out = new ArrayList<>();
    for (ScriptStatement s : ScriptBuilder.build(workspace.types(r), r.helpers)) {
      s.walk(x -> {
        boolean all = keep.contains("*") && x.parent == null;
        if (all || keep.contains(x.id) || keep.stream().anyMatch(k -> x.text().startsWith(k))) {
          out.add(x.id);
        }
      });
    }
    assertTrue(!out.isEmpty(), "keep matches nothing");
    return out;
  }

  private static void describe(Api.Attempted a, StringBuilder out) {
    out.append(a.ok ? "ok" : a.code + ": " + a.reason).append(", into ").append(a.rendered.into)
        .append(a.rendered.method == null ? "" : ", made " + a.rendered.method)
        .append(a.extraThrows.isEmpty() ? "" : ", throws " + a.extraThrows).append('\n');
    a.rendered.problems.forEach(p -> out.append("problem ").append(p.statement).append(' ').append(p.code)
        .append(": ").append(p.message).append('\n'));
    a.rendered.unswitchable.forEach(p -> out.append("unswitchable ").append(p.statement).append(": ")
        .append(p.message).append('\n'));
    a.rendered.spans.forEach(s -> out.append("lines ").append(s.statement).append(' ').append(s.line).append('-')
        .append(s.endLine).append('\n'));
  }

  private static void compare(Path golden, byte[] got) throws IOException {
    if (UPDATE) {
      Files.createDirectories(golden.getParent());
      Files.write(golden, got);
      return;
    }
    assertTrue(Files.isRegularFile(golden), golden + " is missing; run with -Dgolden.update=true and read the result");
    byte[] want = Files.readAllBytes(golden);
    assertEquals(new String(want, StandardCharsets.ISO_8859_1), new String(got, StandardCharsets.ISO_8859_1),
        golden.toString());
    assertArrayEquals(want, got);
  }
}
