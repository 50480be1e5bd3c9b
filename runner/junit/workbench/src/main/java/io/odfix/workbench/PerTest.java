package io.odfix.workbench;

import com.github.javaparser.ast.ImportDeclaration;
import com.github.javaparser.ast.body.MethodDeclaration;
import com.github.javaparser.ast.expr.AnnotationExpr;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Turns setups and teardowns of a whole class into those of every test: {@code @BeforeClass} into
 * {@code @Before}, {@code @BeforeAll} into {@code @BeforeEach}.
 */
final class PerTest {
  private static final Map<String, String> TURNS = new HashMap<>();

  static {
    TURNS.put("BeforeClass", "org.junit.Before");
    TURNS.put("AfterClass", "org.junit.After");
    TURNS.put("BeforeAll", "org.junit.jupiter.api.BeforeEach");
    TURNS.put("AfterAll", "org.junit.jupiter.api.AfterEach");
  }

  private final Lexical at;
  private final FileEdit file;
  private final Source source;
  private final List<AnnotationExpr> turned = new ArrayList<>();

  PerTest(Lexical at, FileEdit file) {
    this.at = at;
    this.file = file;
    this.source = at.source;
  }

  void turn(MethodDeclaration m) {
    m.getAnnotations().stream().filter(a -> TURNS.containsKey(a.getName().getIdentifier())).forEach(turned::add);
  }

  /** Writes the new annotations, and their imports. */
  void write() {
    Map<String, String> names = new HashMap<>();
    for (AnnotationExpr a : turned) {
      String name = names.computeIfAbsent(a.getName().getIdentifier(), this::name);
      file.edits.replace(source.start(a.getName()), source.end(a.getName()), name);
    }
  }

  /**
   * The name of the new annotation in this file. If nothing else uses the import of the old
   * annotation, it becomes the import of the new one.
   */
  private String name(String old) {
    String fresh = TURNS.get(old);
    String simple = fresh.substring(fresh.lastIndexOf('.') + 1);
    TypeInfo type = new TypeInfo(fresh, Modifier.PUBLIC);
    TypeInfo here = at.type(simple);
    boolean used = source.unit.findAll(AnnotationExpr.class).stream()
        .anyMatch(a -> a.getName().getIdentifier().equals(old) && !turned.contains(a));
    ImportDeclaration own = source.unit.getImports().stream()
        .filter(i -> !used && !i.isAsterisk() && i.getName().getIdentifier().equals(old)).findFirst().orElse(null);
    if (own != null && here == null) {
      file.edits.replace(source.start(own.getName()), source.end(own.getName()), fresh);
      return simple;
    }
    if (own != null && here.binary.equals(fresh)) {
      file.edits.replace(source.lineStart(source.start(own)), source.nextLine(source.end(own)), "");
    }
    return file.imports.reference(at, type, false);
  }
}
