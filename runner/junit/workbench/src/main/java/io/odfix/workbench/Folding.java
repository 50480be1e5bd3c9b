package io.odfix.workbench;

import com.github.javaparser.ast.body.VariableDeclarator;
import com.github.javaparser.ast.expr.AssignExpr;
import com.github.javaparser.ast.expr.Expression;
import com.github.javaparser.ast.expr.MethodCallExpr;
import com.github.javaparser.ast.expr.VariableDeclarationExpr;
import com.github.javaparser.ast.stmt.ExpressionStmt;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decides which variables are replaced by their value: "F f = F.get(); f.reset();" becomes
 * "F.get().reset();". This is done only for a value that is used once, and first in the next
 * statement, so that the order of execution stays the same.
 */
final class Folding {
  private final List<ScriptStatement> kept;
  private final KeptStatements keep;
  private final Mover mover;
  /** The value that replaces the variable's one use, by the statement that assigned it. */
  private final Map<ScriptStatement, Expression> values = new HashMap<>();
  private final Map<ScriptStatement, Object> variables = new HashMap<>();

  Folding(List<ScriptStatement> kept, KeptStatements keep, Mover mover) {
    this.kept = kept;
    this.keep = keep;
    this.mover = mover;
    // This goes from the end, because the beginning of a value counts if the next statement is
    // itself replaced.
    for (int i = kept.size() - 2; i >= 0; i--) {
      consider(kept.get(i), i + 1);
    }
  }

  /** Whether the statement is removed, because its value is written at its use. */
  boolean folds(ScriptStatement s) {
    return values.containsKey(s);
  }

  Expression value(ScriptStatement s) {
    return values.get(s);
  }

  Object variable(ScriptStatement s) {
    return variables.get(s);
  }

  private void consider(ScriptStatement s, int next) {
    if (keep.index(s) != null || !keep.left(s).isEmpty()) {
      return;
    }
    Object key = null;
    Expression value = null;
    AssignExpr a = s.node == null ? null : Declarations.assignment(s.node);
    VariableDeclarationExpr d = s.node == null ? null : Declarations.declaration(s.node);
    if (s.form == ScriptStatement.Form.FIELD && !mover.usedInPlace(s)) {
      key = Mover.key(s);
      value = s.variable().getInitializer().orElse(null);
    } else if (d != null && d.getVariables().size() == 1 && d.getAnnotations().isEmpty()) {
      VariableDeclarator v = d.getVariable(0);
      key = s.declares().get(0);
      value = v.getInitializer().orElse(null);
    } else if (a != null && Writer.mergedField(s, kept, keep, mover) != null) {
      key = Mover.key(Writer.mergedField(s, kept, keep, mover));
      value = a.getValue();
    }
    if (value != null && simple(value) && oneLine(value) && usedFirst(s, key, next)) {
      values.put(s, value);
      variables.put(s, key);
    }
  }

  private static boolean simple(Expression e) {
    return e.isMethodCallExpr() || e.isNameExpr() || e.isFieldAccessExpr()
        || (e.isObjectCreationExpr() && !e.asObjectCreationExpr().getAnonymousClassBody().isPresent());
  }

  private static boolean oneLine(Expression e) {
    return e.getRange().get().begin.line == e.getRange().get().end.line;
  }

  private boolean usedFirst(ScriptStatement definer, Object key, int next) {
    int uses = 0;
    for (ScriptStatement s : kept) {
      uses += (int) s.uses.stream().filter(u -> s != definer && Writer.uses(s, u, key)).count();
    }
    ScriptStatement follower = kept.get(next);
    Expression begins = values.containsKey(follower) ? values.get(follower) : expression(follower);
    if (uses != 1 || begins == null) {
      return false;
    }
    Expression receiver = begins;
    while (receiver instanceof MethodCallExpr && ((MethodCallExpr) receiver).getScope().isPresent()) {
      receiver = ((MethodCallExpr) receiver).getScope().get();
    }
    boolean called = receiver != begins || values.containsKey(follower);
    int at = follower.source().start(begins);
    return called && receiver.isNameExpr() && follower.uses.stream()
        .anyMatch(u -> u.start == at && !u.viaThis && Writer.uses(follower, u, key));
  }

  private static Expression expression(ScriptStatement s) {
    if (s.node instanceof ExpressionStmt) {
      Expression e = ((ExpressionStmt) s.node).getExpression();
      return e instanceof MethodCallExpr ? e : null;
    }
    return s.node instanceof MethodCallExpr ? (Expression) s.node : null;
  }
}
