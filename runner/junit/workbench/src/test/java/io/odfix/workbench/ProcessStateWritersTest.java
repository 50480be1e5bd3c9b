package io.odfix.workbench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Methods that change state of the whole process are named, the nearest first, even if they restore
 * it.
 */
class ProcessStateWritersTest {
  @TempDir
  Path root;

  @Test
  void namesMethodsByTheirCalls() throws IOException {
    ClassesOnDisk disk = new ClassesOnDisk(root);
    disk.add("app/ZoneTest.java", "package app;\nimport java.util.*;\npublic class ZoneTest {\n"
        + "  public void inRome() { TimeZone saved = TimeZone.getDefault(); TimeZone.setDefault(TimeZone.getTimeZone(\"Europe/Rome\")); TimeZone.setDefault(saved); }\n"
        + "  public void reads() { Locale.getDefault(); System.getProperty(\"x\"); }\n"
        + "  public void later() { Runnable r = () -> System.clearProperty(\"x\"); r.run(); }\n"
        + "  public void by() { Help.prepare(); }\n}\n");
    disk.add("app/Help.java", "package app;\nclass Help {\n  static void prepare() { System.setProperty(\"x\", \"y\"); }\n}\n");
    List<String> found = ProcessStateWriters.find(disk.compiled(new Api.WritersRequest())).methods.stream().map(s -> s.calls + " " + s.type + "#" + s.method).collect(Collectors.toList());
    found.sort(null);
    assertEquals("[0 app.Help#prepare, 0 app.ZoneTest#inRome, 0 app.ZoneTest#later, 1 app.ZoneTest#by, 1 app.ZoneTest#later]", found.toString());
  }
}
