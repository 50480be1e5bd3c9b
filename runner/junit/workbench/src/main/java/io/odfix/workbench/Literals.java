package io.odfix.workbench;

import com.github.javaparser.ast.body.VariableDeclarator;
import com.github.javaparser.ast.expr.Expression;
import com.github.javaparser.ast.expr.LiteralExpr;
import com.github.javaparser.ast.type.Type;

/** Constants that may be copied, and default values for a statement that did not run. */
final class Literals {
  private Literals() {}

  /** Whether the expression is made of literals, signs, operators and parentheses only. */
  static boolean only(Expression e) {
    if (e instanceof LiteralExpr) {
      return !e.isNullLiteralExpr();
    }
    if (e.isUnaryExpr()) {
      return only(e.asUnaryExpr().getExpression());
    }
    if (e.isEnclosedExpr()) {
      return only(e.asEnclosedExpr().getInner());
    }
    return e.isBinaryExpr() && only(e.asBinaryExpr().getLeft()) && only(e.asBinaryExpr().getRight());
  }

  /**
   * The text of a constant at another place; a cast keeps the type where the literal alone has
   * another.
   */
  static String copy(TypeInfo owner, String name, Expression value) {
    String text = owner.source.text(value);
    String type = owner.declaration.getFieldByName(name).get().getVariables().stream()
        .filter(v -> v.getNameAsString().equals(name)).findFirst().get().getTypeAsString();
    boolean plain = type.equals("String") || type.equals("int") || type.equals("boolean")
        || (type.equals("long") && text.matches("(?i).*L")) || (type.equals("double") && text.contains("."))
        || (type.equals("float") && text.matches("(?i).*f")) || (type.equals("char") && text.startsWith("'"));
    boolean simple = value instanceof LiteralExpr;
    if (plain) {
      return simple ? text : "(" + text + ")";
    }
    if (type.equals("long") && value.isIntegerLiteralExpr()) {
      return text + "L";
    }
    return "(" + type + ") " + (simple ? text : "(" + text + ")");
  }

  /** The value of a variable whose initialiser did not run. */
  static String zero(Type type) {
    if (!type.isPrimitiveType()) {
      return "null";
    }
    return type.asPrimitiveType().asString().equals("boolean") ? "false" : "0";
  }

  /** As {@link #zero}, for a variable declared with "var". */
  static String zeroLike(VariableDeclarator v) {
    Expression e = v.getInitializer().get();
    if (e.isBooleanLiteralExpr()) {
      return "false";
    }
    boolean number = e.isIntegerLiteralExpr() || e.isDoubleLiteralExpr() || e.isLongLiteralExpr();
    return number ? "0" : e.isCharLiteralExpr() ? "'\\0'" : "null";
  }
}
