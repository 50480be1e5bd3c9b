package io.odfix.workbench;

import com.github.javaparser.ast.expr.Expression;
import com.github.javaparser.ast.expr.MethodCallExpr;
import com.github.javaparser.ast.stmt.ExpressionStmt;
import java.util.List;

/**
 * Decides when a lifted field is not worth a local of its own: "F f = F.get(); f.reset();" is
 * written "F.get().reset();". Only where the value is made at once and used once, first thing in
 * the next statement, so that nothing runs in another order.
 */
final class Folding {
  private Folding() {}

  static boolean folds(Stmt field, List<Stmt> kept, int at) {
    Expression value = field.variable().getInitializer().get();
    boolean simple = value.isMethodCallExpr() || value.isNameExpr() || value.isFieldAccessExpr()
        || (value.isObjectCreationExpr() && !value.asObjectCreationExpr().getAnonymousClassBody().isPresent());
    if (!simple || field.source().text(value).contains("\n") || at + 1 >= kept.size()) {
      return false;
    }
    int uses = 0;
    for (Stmt s : kept) {
      uses += (int) s.uses.stream().filter(u -> Writer.uses(s, u, Mover.key(field))).count();
    }
    Stmt next = kept.get(at + 1);
    Use first = next.uses.isEmpty() ? null : next.uses.get(0);
    return uses == 1 && first != null && !first.viaThis && Writer.uses(next, first, Mover.key(field))
        && first.start == next.start && receives(next);
  }

  /** Whether the statement is a chain of calls that begins with a name. */
  private static boolean receives(Stmt s) {
    Expression e = s.node instanceof ExpressionStmt ? ((ExpressionStmt) s.node).getExpression()
        : s.node instanceof Expression ? (Expression) s.node : null;
    boolean call = false;
    while (e instanceof MethodCallExpr) {
      call = true;
      e = ((MethodCallExpr) e).getScope().orElse(null);
    }
    return call && e != null && e.isNameExpr();
  }
}
