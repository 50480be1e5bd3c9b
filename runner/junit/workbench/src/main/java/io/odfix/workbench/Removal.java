package io.odfix.workbench;

/** Takes a statement out of the text of the compound around it. */
final class Removal {
  private Removal() {}

  static void cut(Source s, ScriptStatement gone, Edits edits) {
    if (gone.form == ScriptStatement.Form.EXPRESSION) {
      return; // part of an expression, which needs it
    }
    com.github.javaparser.ast.Node parent = gone.node.getParentNode().orElse(null);
    boolean listed = parent instanceof com.github.javaparser.ast.stmt.BlockStmt
        || parent instanceof com.github.javaparser.ast.stmt.SwitchEntry;
    if (!listed) {
      edits.replace(gone.start, gone.end, "{}"); // the body of an if or a loop
      return;
    }
    int end = gone.end;
    boolean wholeLines = s.firstOnLine(gone.start) && s.text.substring(end, s.nextLine(end)).trim().isEmpty();
    if (wholeLines) {
      edits.replace(s.lineStart(gone.start), s.nextLine(end), "");
    } else {
      edits.replace(gone.start, end, "");
    }
  }
}
