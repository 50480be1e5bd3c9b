package io.odfix.workbench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Sources with the syntax of Java 21 to 25. They are only read, since this JDK may be too old. */
class ModernSyntaxTest {
  private static final String[] FILE = {
      "package app;",
      "",
      "import module java.base;",
      "import org.junit.jupiter.api.Test;",
      "",
      "class ShapesTest {",
      "  sealed interface Shape permits Square, Circle {}",
      "  record Square(int side) implements Shape {}",
      "  record Circle(int radius) implements Shape {}",
      "",
      "  static int area(Shape s) {",
      "    return switch (s) {",
      "      case Square(int side) when side > 3 -> side * side;",
      "      case Square(var _) -> 0;",
      "      case Circle _ -> 3;",
      "    };",
      "  }",
      "",
      "  /// A comment in **Markdown**.",
      "  static class Names extends ArrayList<String> {",
      "    Names(int n) {",
      "      if (n < 0) {",
      "        throw new IllegalArgumentException(\"\"\"",
      "            negative \"n\"",
      "            \"\"\");",
      "      }",
      "      super(n);",
      "    }",
      "  }",
      "",
      "  @Test",
      "  void ignoresWhatItDoesNotUse() {",
      "    int total = 0;",
      "    for (var _ : List.of(1, 2)) {",
      "      total++;",
      "    }",
      "    try {",
      "      BiFunction<Integer, Integer, Integer> first = (a, _) -> a;",
      "      total += first.apply(1, 2);",
      "    } catch (RuntimeException _) {",
      "      total = 0;",
      "    }",
      "  }",
      "}",
      ""};

  @TempDir
  Path root;

  private Lexical read(String... imports) throws IOException {
    Path file = Files.createDirectories(root.resolve("app")).resolve("ShapesTest.java");
    String text = String.join("\n", FILE);
    for (String i : imports) {
      text = text.replace("import module java.base;\n", "import module java.base;\n" + i + "\n");
    }
    Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    Types types = new Types(new Sources(Arrays.asList(root.toString()), "", null), new ClassPath(Collections.emptyList()));
    return new Lexical(types, Source.read(file, ""), types.editable("app.ShapesTest"));
  }

  @Test
  void anImportedModuleNamesTheClassesOfItsPackages() throws IOException {
    Lexical at = read();
    assertEquals("java.util.List", at.type("List").binary);
    assertEquals("java.util.function.BiFunction", at.type("BiFunction").binary);
    assertEquals("app.ShapesTest$Square", at.type("Square").binary);
    assertEquals("java.lang.Record", at.type("Record").binary);
    assertNull(at.type("Connection"), "a class of another module");
    assertNull(at.type("base"), "the module is no class");
  }

  @Test
  void aNameInSeveralModulesNeedsAnImportOfItsOwn() throws IOException {
    Lexical at = read("import module java.sql;");
    assertEquals("java.sql.Connection", at.type("Connection").binary);
    assertNull(at.type("Date"), "java.util and java.sql have one");
    assertEquals("java.util.Date", read("import module java.sql;", "import java.util.Date;").type("Date").binary);
  }

  @Test
  void aModuleImportsWhatItRequiresTransitively() {
    assertTrue(Modules.packages("java.sql").containsAll(Arrays.asList("java.sql", "java.util.logging", "org.w3c.dom")));
    assertEquals(Collections.emptySet(), Modules.packages("app.unknown"));
  }

  @Test
  void aNewImportStandsAmongThoseOfClasses() throws IOException {
    Lexical at = read();
    Imports imports = new Imports(at.source);
    assertEquals("AfterEach", imports.reference(at, new TypeInfo("org.junit.jupiter.api.AfterEach",
        java.lang.reflect.Modifier.PUBLIC), true));
    assertEquals("List", imports.reference(at, at.types.find("java.util.List"), true));
    assertEquals("Connection", imports.reference(at, at.types.find("java.sql.Connection"), true));
    Edits edits = new Edits();
    imports.write(edits);
    String changed = edits.apply(at.source.text);
    assertTrue(changed.contains("import module java.base;\nimport java.sql.Connection;\nimport org.junit.jupiter.api.AfterEach;\n"
        + "import org.junit.jupiter.api.Test;\n"), changed);
  }
}
