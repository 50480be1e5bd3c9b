package io.odfix.workbench;

import com.github.javaparser.ast.body.MethodDeclaration;
import com.github.javaparser.ast.body.Parameter;
import com.github.javaparser.ast.expr.Expression;
import com.github.javaparser.ast.expr.MethodCallExpr;
import com.github.javaparser.ast.stmt.Statement;
import com.github.javaparser.ast.type.TypeParameter;
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
   * The name of a method that the call reaches and that differs between the classes, or null.
   * Methods without source are not followed.
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
    Types.Found inA = effective(types.method(a, called.name, called.params));
    Types.Found inB = effective(types.method(b, called.name, called.params));
    if (inA == null || inB == null) {
      return null;
    }
    if (!inA.owner.binary.equals(inB.owner.binary) && !overloads(inA, inB) && !overloads(inB, inA)) {
      return called.name;
    }
    return walk(inA.owner, inA.member);
  }

  /** The method itself, or the one of a superclass to which it only passes its parameters on. */
  private Types.Found effective(Types.Found f) {
    for (int depth = 0; f != null && depth < 64 && onlyCallsSuper(f); depth++) {
      Types.Found above = above(f.owner, f.member.name, f.member.params);
      if (above == null) {
        return f;
      }
      f = above;
    }
    return f;
  }

  private Types.Found above(TypeInfo owner, String name, int arguments) {
    TypeInfo parent = types.superOf(owner);
    return parent == null ? null : types.method(parent, name, arguments);
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
        Types.Found above = above(owner, call.getNameAsString(), call.getArguments().size());
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

  /** Whether the first one is a method of a subclass with other parameters. */
  private boolean overloads(Types.Found lower, Types.Found upper) {
    if (!types.inherits(lower.owner, upper.owner.binary)) {
      return false;
    }
    List<MethodDeclaration> of = declared(lower.owner, lower.member);
    List<MethodDeclaration> other = declared(upper.owner, upper.member);
    return !of.isEmpty() && !other.isEmpty()
        && of.stream().noneMatch(m -> other.stream().anyMatch(o -> sameParameters(m, o, upper.owner)));
  }

  private static boolean sameParameters(MethodDeclaration m, MethodDeclaration o, TypeInfo owner) {
    Set<String> variables = new HashSet<>();
    o.getTypeParameters().forEach(t -> variables.add(t.getNameAsString()));
    owner.declaration.findAll(TypeParameter.class).forEach(t -> variables.add(t.getNameAsString()));
    for (int i = 0; i < m.getParameters().size(); i++) {
      String above = erased(o.getParameter(i));
      if (!variables.contains(above) && !above.equals(erased(m.getParameter(i)))) {
        return false;
      }
    }
    return true;
  }

  private static String erased(Parameter p) {
    return p.getTypeAsString().replaceAll("<.*>|\\w+\\.", "");
  }

  private static boolean onlyCallsSuper(Types.Found f) {
    List<MethodDeclaration> of = declared(f.owner, f.member);
    if (of.size() != 1 || !of.get(0).getBody().isPresent() || of.get(0).getBody().get().getStatements().size() != 1) {
      return false;
    }
    Statement only = of.get(0).getBody().get().getStatement(0);
    Expression e = only.isExpressionStmt() ? only.asExpressionStmt().getExpression()
        : only.isReturnStmt() ? only.asReturnStmt().getExpression().orElse(null) : null;
    if (e == null || !e.isMethodCallExpr() || !isSuper(e.asMethodCallExpr())) {
      return false;
    }
    List<String> passed = new ArrayList<>();
    e.asMethodCallExpr().getArguments().forEach(x -> passed.add(x.toString()));
    List<String> taken = new ArrayList<>();
    of.get(0).getParameters().forEach(p -> taken.add(p.getNameAsString()));
    return e.asMethodCallExpr().getNameAsString().equals(f.member.name) && passed.equals(taken);
  }

  private static boolean isSuper(MethodCallExpr call) {
    return call.getScope().isPresent() && call.getScope().get().isSuperExpr();
  }
}
