package io.odfix.workbench;

import com.github.javaparser.ast.expr.Expression;
import com.github.javaparser.ast.expr.FieldAccessExpr;
import com.github.javaparser.ast.expr.NameExpr;
import com.github.javaparser.ast.expr.StringLiteralExpr;

/**
 * Names for string literals of statements that no helper contains. Such a statement comes from
 * compiled code, which has the values of constants and not their names.
 */
final class NamedConstants {
  /** A literal of one character, with its quotes, is often equal to a constant by chance. */
  private static final int SHORT = 3;

  private NamedConstants() {}

  /** Replaces the literals of a statement for which the target's file uses a constant already. */
  static void use(ScriptStatement s, Target target, Edits edits) {
    if (s.node == null || !Made.is(s.lexical.self)) {
      return;
    }
    for (StringLiteralExpr l : s.node.findAll(StringLiteralExpr.class)) {
      String literal = "\"" + l.getValue() + "\"";
      String name = literal.length() <= SHORT ? null : of(target, literal);
      if (name != null) {
        edits.replace(s.source().start(l), s.source().end(l), name);
      }
    }
  }

  private static String of(Target target, String literal) {
    Source file = target.lexical.source;
    for (NameExpr n : file.unit.findAll(NameExpr.class)) {
      String name = n.getNameAsString();
      if (!target.visible.contains(name) && literal.equals(value(target, name))) {
        return name;
      }
    }
    for (FieldAccessExpr f : file.unit.findAll(FieldAccessExpr.class)) {
      if (literal.equals(value(target, f.getScope(), f.getNameAsString()))) {
        return file.text(f);
      }
    }
    return null;
  }

  private static String value(Target target, String name) {
    Lexical at = target.lexical;
    Types.Found own = at.field(name);
    TypeInfo owner = own == null ? at.staticImport(name, false) : own.owner;
    return owner == null ? null : constant(target, at.types.field(owner, name));
  }

  private static String value(Target target, Expression scope, String name) {
    Lexical at = target.lexical;
    boolean variable = !scope.isNameExpr() || target.visible.contains(scope.toString()) || at.field(scope.toString()) != null;
    TypeInfo owner = variable ? null : at.type(scope.toString());
    return owner == null ? null : constant(target, at.types.field(owner, name));
  }

  private static String constant(Target target, Types.Found field) {
    return field == null || !target.reaches(field.owner, field.member) ? null : field.member.constant;
  }
}
