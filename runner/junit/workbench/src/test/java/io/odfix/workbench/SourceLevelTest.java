package io.odfix.workbench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Patches of sources whose language level is below Java 5 have no annotations. */
class SourceLevelTest {
  @TempDir
  Path root;

  private String patched(String... args) throws IOException {
    ClassesOnDisk disk = new ClassesOnDisk(root);
    disk.add("app/Sizes.java", "package app;\npublic class Sizes {\n  public static final int[] ALL = {1, 2};\n}\n");
    disk.add("app/SizesTest.java", "package app;\npublic class SizesTest extends junit.framework.TestCase {\n"
        + "  public void testFirst() {\n    Sizes.ALL[0] = 3;\n  }\n}\n");
    Api.AttemptRequest r = new Api.AttemptRequest();
    disk.compiled(r);
    r.made = new Api.Made();
    r.made.fields = Arrays.asList("int[] saved = app.Sizes.ALL.clone()");
    r.made.statements = Arrays.asList("System.arraycopy(saved, 0, app.Sizes.ALL, 0, saved.length);");
    r.helpers = Arrays.asList(Made.HELPER);
    r.keep = Arrays.asList("0.0", "0.1");
    r.place = new Api.Place();
    r.place.kind = "polluter-teardown";
    r.place.test = "app.SizesTest#testFirst";
    r.outDir = root.resolve("patched").toString();
    r.options.args = Arrays.asList(args);
    r.options.classPath = new ArrayList<>(Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator)));
    r.options.classPath.addAll(r.classPath);
    Api.Attempted a = Attempt.run(new Server.Workspace(), r);
    boolean known = args.length == 0 || System.getProperty("java.specification.version").equals("1.8");
    assertTrue(a.ok || !known, () -> a.reason);
    return a.rendered.files.get(0).text;
  }

  @Test
  void newMethodOverridesWithoutAnnotation() throws IOException {
    String old = patched("-source", "1.3", "-target", "1.3");
    assertFalse(old.contains("@Override"), old);
    assertTrue(old.contains("  protected void tearDown() throws Exception {\n    System.arraycopy(saved, 0, "), old);
    assertTrue(patched().contains("  @Override\n  protected void tearDown() throws Exception {\n"));
  }

  @Test
  void copyOfArrayIsCast() throws IOException {
    assertTrue(patched("-source", "1.4").contains("int[] saved = (int[]) Sizes.ALL.clone();"));
    assertTrue(patched().contains("int[] saved = Sizes.ALL.clone();"));
  }

  @Test
  void levelIsTheLastOneOfTheOptions() {
    Api.AttemptRequest r = new Api.AttemptRequest();
    assertFalse(SourceLevel.beforeJava5(r));
    assertFalse(SourceLevel.beforeJava5(new Api.RenderRequest()));
    for (String level : new String[] {"1.1", "1.3", "1.4"}) {
      r.options.args = Arrays.asList("-g", "-source", level);
      assertTrue(SourceLevel.beforeJava5(r), level);
    }
    for (List<String> args : Arrays.asList(Arrays.asList("-source", "1.5"), Arrays.asList("--release", "8"), Arrays.asList("-source"),
        Arrays.asList("-source", "1.4", "-source", "8"), Arrays.asList("-target", "1.4"), Arrays.asList("-source", "1.40"))) {
      r.options.args = args;
      assertEquals(false, SourceLevel.beforeJava5(r), args.toString());
    }
  }
}
