package io.odfix.workbench;

import com.github.javaparser.ast.body.MethodDeclaration;
import com.github.javaparser.ast.body.Parameter;
import com.github.javaparser.ast.expr.MethodCallExpr;
import com.github.javaparser.ast.stmt.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds out whether a method that two classes inherit does the same on instances of both: a class
 * may override the method, or one that it calls.
 */
final class Dispatch {
  private final Types types;
  private final TypeInfo a;
  private final TypeInfo b;
  private final Set<String> visited = new HashSet<>();

  private Dispatch(Types types, TypeInfo a, TypeInfo b) {
    this.types = types;
    this.a = a;
    this.b = b;
  }

  /**
   * The name of a method that the call reaches and that differs between the classes, or null. Methods
   * without source are not followed.
   */
  static String differs(Types types, TypeInfo a, TypeInfo b, NameUse call) {
    return new Dispatch(types, a, b).differs(call.owner, call.member);
  }

  private String differs(TypeInfo owner, TypeInfo.Member called) {
    if (called.isStatic() || owner == null) {
      return null;
    }
    if (called.isPrivate()) {
      return walk(owner, called);
    }
    Types.Found inA = types.method(a, called.name, called.params);
    Types.Found inB = types.method(b, called.name, called.params);
    if (inA == null || inB == null) {
      return null;
    }
    if (!inA.owner.binary.equals(inB.owner.binary) && overrides(inA, inB)) {
      return called.name;
    }
    return walk(inA.owner, inA.member);
  }

  /** The same for the methods that the body of a method calls. */
  private String walk(TypeInfo owner, TypeInfo.Member called) {
    if (!visited.add(owner.binary + "#" + called.name + "/" + called.params)) {
      return null;
    }
    for (MethodDeclaration m : declared(owner, called)) {
      for (NameUse u : NameWalker.walk(new Lexical(types, owner.source, owner), m)) {
        String other = u.kind == NameUse.Kind.METHOD && u.member != null ? differs(u.owner, u.member) : null;
        if (other != null) {
          return other;
        }
      }
      for (MethodCallExpr call : m.findAll(MethodCallExpr.class, Dispatch::isSuper)) {
        TypeInfo parent = types.superOf(owner);
        Types.Found above = parent == null ? null : types.method(parent, call.getNameAsString(), call.getArguments().size());
        String other = above == null ? null : walk(above.owner, above.member);
        if (other != null) {
          return other;
        }
      }
    }
    return null;
  }

  private static List<MethodDeclaration> declared(TypeInfo owner, TypeInfo.Member called) {
    List<MethodDeclaration> out = new ArrayList<>();
    if (owner.declaration != null) {
      out.addAll(owner.declaration.getMethodsByName(called.name));
      out.removeIf(m -> m.getParameters().size() != called.params);
    }
    return out;
  }

  /** Whether one of two methods of the same name replaces the other, and does more than to call it. */
  private boolean overrides(Types.Found x, Types.Found y) {
    Types.Found lower = types.inherits(x.owner, y.owner.binary) ? x : y;
    List<MethodDeclaration> of = declared(lower.owner, lower.member);
    List<MethodDeclaration> other = declared(lower == x ? y.owner : x.owner, lower.member);
    if (of.isEmpty() || other.isEmpty()) {
      return true; // the source does not say
    }
    return of.stream().anyMatch(m -> !onlyCallsSuper(m) && other.stream().anyMatch(o -> parameters(m).equals(parameters(o))));
  }

  private static List<String> parameters(MethodDeclaration m) {
    List<String> out = new ArrayList<>();
    for (Parameter p : m.getParameters()) {
      out.add(p.getTypeAsString().replaceAll("<.*>|\\w+\\.", ""));
    }
    return out;
  }

  private static boolean onlyCallsSuper(MethodDeclaration m) {
    List<Statement> body = m.getBody().map(b -> (List<Statement>) b.getStatements()).orElseGet(ArrayList::new);
    return body.size() == 1 && body.get(0).isExpressionStmt() && body.get(0).asExpressionStmt().getExpression().isMethodCallExpr()
        && isSuper(body.get(0).asExpressionStmt().getExpression().asMethodCallExpr())
        && body.get(0).asExpressionStmt().getExpression().asMethodCallExpr().getNameAsString().equals(m.getNameAsString());
  }

  private static boolean isSuper(MethodCallExpr call) {
    return call.getScope().isPresent() && call.getScope().get().isSuperExpr();
  }
}
