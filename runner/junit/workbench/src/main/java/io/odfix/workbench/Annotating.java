package io.odfix.workbench;

import com.github.javaparser.ast.body.TypeDeclaration;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/**
 * Gives a test class an annotation of an extension of JUnit Jupiter that the project already uses
 * and that restores what tests change, such as JUnit Pioneer's RestoreSystemProperties.
 */
final class Annotating {
  private Annotating() {}

  /** The patch with only those of the annotations whose numbers ("0.1") are kept. */
  static Api.Rendered render(Types types, Api.RenderRequest r) {
    TypeInfo home = types.editable(TestId.parse(r.place.test).type);
    if (!Lifecycle.imports(home.source, "org.junit.jupiter")) {
      throw new Problem("not-jupiter", home.canonical() + " has no tests of JUnit Jupiter, whose extensions heed annotations");
    }
    FileEdit file = new FileEdit(home.source);
    Lexical at = new Lexical(types, home.source, home);
    Api.Rendered out = new Api.Rendered();
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < r.made.annotate.size(); i++) {
      if (r.keep.contains("0." + i)) {
        lines.add(annotation(types, home.declaration, r.made.annotate.get(i), file, at));
      }
    }
    if (lines.isEmpty()) {
      throw new Problem("nothing", "no annotation was kept");
    }
    int start = home.source.start(home.declaration);
    String indent = home.source.text.substring(home.source.lineStart(start), start);
    for (String line : lines) {
      file.edits.insert(start, line + home.source.eol + (indent.trim().isEmpty() ? indent : ""));
    }
    out.kept.addAll(r.keep);
    out.statements.addAll(lines);
    out.files.add(file.finish());
    return out;
  }

  private static String annotation(Types types, TypeDeclaration<?> of, String name, FileEdit file, Lexical at) {
    String simple = name.substring(name.lastIndexOf('.') + 1);
    if (types.find(name) == null) {
      throw new Problem("no-annotation", "there is no " + name + " on the class path of the tests");
    }
    if (Lifecycle.has(of, simple)) {
      throw new Problem("nothing", "the class has @" + simple + " already");
    }
    return "@" + file.imports.reference(at, new TypeInfo(name, Modifier.PUBLIC), false);
  }
}
