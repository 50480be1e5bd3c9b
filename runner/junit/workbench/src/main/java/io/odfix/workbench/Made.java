package io.odfix.workbench;

import java.nio.file.Path;

/**
 * Statements that come from no helper, as the source of a class that is in no file, so that they
 * are moved and placed like helpers' statements. Its fields are to become fields of the target's
 * class, which thereby save the state before a test.
 */
final class Made {
  static final String TYPE = "OdfixReset";
  static final String HELPER = TYPE + "#reset";

  private Made() {}

  static Source source(Path root, Api.Made made) {
    StringBuilder b = new StringBuilder("final class " + TYPE + " {\n");
    if (made.fields != null) {
      made.fields.forEach(f -> b.append("  final ").append(f).append(";\n"));
    }
    b.append("  void reset() {\n");
    if (made.statements != null) {
      made.statements.forEach(s -> b.append("    ").append(s).append('\n'));
    }
    return Source.of(root.resolve(TYPE + ".java"), b.append("  }\n}\n").toString());
  }

  /** Whether the patch makes fields instance fields, and has no statements. */
  static boolean unshares(Api.Made made) {
    return made != null && made.unshare != null && !made.unshare.isEmpty();
  }

  /** Whether the patch adds annotations, and has no statements. */
  static boolean annotates(Api.Made made) {
    return made != null && made.annotate != null && !made.annotate.isEmpty();
  }

  static boolean is(TypeInfo t) {
    return t.binary.equals(TYPE);
  }

  /** Whether it is one of the fields added to the place's class. */
  static boolean isField(ScriptStatement s) {
    return s.form == ScriptStatement.Form.FIELD && is(s.lexical.self);
  }
}
