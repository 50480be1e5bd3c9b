package io.odfix.workbench;

import com.github.javaparser.ast.body.BodyDeclaration;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/**
 * Gives a test class an annotation of an extension of JUnit Jupiter that the project already uses
 * and that restores what tests change, such as JUnit Pioneer's RestoreSystemProperties. Spring's
 * DirtiesContext is given to the test that leaves beans changed.
 */
final class Annotating {
  /** After a test with this annotation, Spring closes the context and makes a new one. */
  private static final String SPRING = "org.springframework.test.annotation.DirtiesContext";

  private Annotating() {}

  /** The patch with only those of the annotations whose numbers ("0.1") are kept. */
  static Api.Rendered render(Types types, Api.RenderRequest r) {
    TypeInfo home = types.editable(TestId.parse(r.place.test).type);
    boolean spring = r.made.annotate.contains(SPRING);
    BodyDeclaration<?> at = home.declaration;
    if (spring) {
      Lifecycle.Step test = springTest(types, home, r.place.test);
      home = test.owner;
      at = test.method;
    }
    if (!spring && !Lifecycle.imports(home.source, "org.junit.jupiter")) {
      throw new Problem("not-jupiter", home.canonical() + " has no tests of JUnit Jupiter, whose extensions heed annotations");
    }
    FileEdit file = new FileEdit(home.source);
    Lexical lexical = new Lexical(types, home.source, home);
    Api.Rendered out = new Api.Rendered();
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < r.made.annotate.size(); i++) {
      if (r.keep.contains("0." + i)) {
        lines.add(annotation(types, at, r.made.annotate.get(i), file, lexical));
      }
    }
    if (lines.isEmpty()) {
      throw new Problem("nothing", "no annotation was kept");
    }
    int start = home.source.start(at);
    String indent = home.source.text.substring(home.source.lineStart(start), start);
    for (String line : lines) {
      file.edits.insert(start, line + home.source.eol + (indent.trim().isEmpty() ? indent : ""));
    }
    out.kept.addAll(r.keep);
    out.statements.addAll(lines);
    out.files.add(file.finish());
    return out;
  }

  /**
   * The method of a test that runs in a context of Spring's, as the imports of its class show. A
   * superclass may declare it.
   */
  private static Lifecycle.Step springTest(Types types, TypeInfo home, String test) {
    Lifecycle.Step step = new Lifecycle(types).test(home, TestId.parse(test));
    boolean inContext = types.sourceChain(home).stream().anyMatch(
        t -> Lifecycle.imports(t.source, "org.springframework.test.") || Lifecycle.imports(t.source, "org.springframework.boot.test."));
    if (!inContext) {
      throw new Problem("not-spring", home.canonical() + " does not run its tests in a context of Spring's");
    }
    return step;
  }

  private static String annotation(Types types, BodyDeclaration<?> of, String name, FileEdit file, Lexical at) {
    String simple = name.substring(name.lastIndexOf('.') + 1);
    if (types.find(name) == null) {
      throw new Problem("no-annotation", "there is no " + name + " on the class path of the tests");
    }
    if (Lifecycle.has(of, simple)) {
      throw new Problem("nothing", "@" + simple + " is there already");
    }
    return "@" + file.imports.reference(at, new TypeInfo(name, Modifier.PUBLIC), false);
  }
}
