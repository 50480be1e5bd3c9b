package io.odfix.workbench;

import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

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
    check(made);
    StringBuilder b = new StringBuilder("final class " + TYPE + " {\n");
    if (made.fields != null) {
      made.fields.forEach(f -> b.append("  final ").append(f).append(";\n"));
    }
    b.append("  void reset() {\n");
    made.statements.forEach(s -> b.append("    ").append(s).append('\n'));
    return Source.of(root.resolve(TYPE + ".java"), b.append("  }\n}\n").toString());
  }

  /** Refuses a text that is not exactly one statement, or one field. */
  private static void check(Api.Made made) {
    OneStatement one = new OneStatement();
    for (String f : made.fields == null ? Collections.<String>emptyList() : made.fields) {
      if (!one.isField(f)) {
        throw new Problem("made", "`" + f + "` is not the declaration of one field");
      }
    }
    for (String s : made.statements) {
      if (!one.isStatement(s)) {
        throw new Problem("made", "`" + s + "` is not one statement");
      }
    }
  }

  /** Whether the patch makes fields instance fields, and has no statements. */
  static boolean unshares(Api.Made made) {
    return made != null && made.unshare != null && !made.unshare.isEmpty();
  }

  /** Whether the patch adds annotations, and has no statements. */
  static boolean annotates(Api.Made made) {
    return made != null && made.annotate != null && !made.annotate.isEmpty();
  }

  /** Refuses ids that are none of the fields or annotations, which are numbered from 0.0. */
  static void checkKept(List<String> keep, List<String> of) {
    Set<String> known = IntStream.range(0, of.size()).mapToObj(i -> "0." + i).collect(Collectors.toSet());
    for (String id : keep == null ? Collections.<String>emptyList() : keep) {
      if (!known.contains(id)) {
        throw new Problem("no-statement", "there is no statement " + id);
      }
    }
  }

  static boolean is(TypeInfo t) {
    return t.binary.equals(TYPE);
  }

  /** Whether it is one of the fields added to the place's class. */
  static boolean isField(ScriptStatement s) {
    return s.form == ScriptStatement.Form.FIELD && is(s.lexical.self);
  }
}
