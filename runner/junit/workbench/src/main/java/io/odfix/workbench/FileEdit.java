package io.odfix.workbench;

import java.util.Base64;
import java.util.HashSet;
import java.util.Set;

/** The changes to one file: edits of its text, and the imports that moved code needs. */
final class FileEdit {
  final Source source;
  final Edits edits = new Edits();
  final Imports imports;
  /** Names of the new methods in this file. */
  final Set<String> methods = new HashSet<>();

  FileEdit(Source source) {
    this.source = source;
    this.imports = new Imports(source);
  }

  Api.File finish() {
    imports.write(edits);
    Api.File f = new Api.File();
    f.path = source.path.toString();
    f.text = edits.apply(source.text);
    f.data = Base64.getEncoder().encodeToString(source.encode(f.text));
    return f;
  }
}
