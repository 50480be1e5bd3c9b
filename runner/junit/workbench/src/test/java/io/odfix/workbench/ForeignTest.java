package io.odfix.workbench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests in other languages are distinguished from tests without a source. */
class ForeignTest {
  @TempDir
  Path root;

  private String code(String type) {
    Types types = new Types(new Sources(Collections.singletonList(root.toString()), "", null), new ClassPath(null));
    return assertThrows(Problem.class, () -> types.editable(type)).code;
  }

  @Test
  void fileNamesMayDifferFromTheClass() throws IOException {
    Files.write(root.resolve("Orders.kt"), "package app.orders\n\nclass OrderTest {\n}\n".getBytes("UTF-8"));
    Files.createDirectories(root.resolve("app"));
    Files.write(root.resolve("app/SpareSpec.groovy"), "package app\nclass SpareTest { }\n".getBytes("UTF-8"));
    assertEquals("language", code("app.orders.OrderTest"));
    assertEquals("language", code("app.SpareTest"));
    assertEquals("no-source", code("app.orders.Order"));
  }
}
