package io.odfix.workbench;

import com.github.javaparser.ast.Node;
import com.github.javaparser.ast.body.VariableDeclarator;
import com.github.javaparser.ast.expr.AssignExpr;
import com.github.javaparser.ast.expr.Expression;
import com.github.javaparser.ast.expr.NameExpr;
import com.github.javaparser.ast.expr.VariableDeclarationExpr;
import com.github.javaparser.ast.stmt.ExpressionStmt;
import com.github.javaparser.ast.stmt.LocalClassDeclarationStmt;
import com.github.javaparser.ast.stmt.LocalRecordDeclarationStmt;

/** Questions about local declarations and assignments. */
final class Declarations {
  private Declarations() {}

  static boolean isDeclaration(Node n) {
    return declaration(n) != null || isLocalType(n);
  }

  static boolean isLocalType(Node n) {
    return n instanceof LocalClassDeclarationStmt || n instanceof LocalRecordDeclarationStmt;
  }

  /** The variable declaration, if the statement is one, else null. */
  static VariableDeclarationExpr declaration(Node n) {
    if (!(n instanceof ExpressionStmt)) {
      return null;
    }
    Expression e = ((ExpressionStmt) n).getExpression();
    return e instanceof VariableDeclarationExpr ? (VariableDeclarationExpr) e : null;
  }

  /**
   * Whether the declaring use is one of the statement's own, not one inside a lambda or class body.
   */
  static boolean declares(Node n, NameUse u, Source s) {
    VariableDeclarationExpr d = declaration(n);
    if (d != null) {
      for (VariableDeclarator v : d.getVariables()) {
        if (s.start(v.getName()) == u.start) {
          return true;
        }
      }
      return false;
    }
    return n instanceof LocalClassDeclarationStmt
        && s.start(((LocalClassDeclarationStmt) n).getClassDeclaration().getName()) == u.start;
  }

  /** "x = e;" or "this.x = e;" as a statement of its own, or null. */
  static AssignExpr assignment(Node n) {
    if (!(n instanceof ExpressionStmt) || !(((ExpressionStmt) n).getExpression() instanceof AssignExpr)) {
      return null;
    }
    AssignExpr a = (AssignExpr) ((ExpressionStmt) n).getExpression();
    boolean simple = a.getOperator() == AssignExpr.Operator.ASSIGN
        && (a.getTarget() instanceof NameExpr || a.getTarget().isFieldAccessExpr()
        && a.getTarget().asFieldAccessExpr().getScope().isThisExpr());
    return simple ? a : null;
  }
}
