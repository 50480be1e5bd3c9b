package io.odfix.workbench;

import com.github.javaparser.ast.Node;
import com.github.javaparser.ast.body.BodyDeclaration;
import com.github.javaparser.ast.expr.Expression;
import com.github.javaparser.ast.expr.LambdaExpr;
import com.github.javaparser.ast.expr.MethodCallExpr;
import com.github.javaparser.ast.expr.ObjectCreationExpr;
import com.github.javaparser.ast.expr.SwitchExpr;
import com.github.javaparser.ast.nodeTypes.NodeWithBody;
import com.github.javaparser.ast.stmt.BlockStmt;
import com.github.javaparser.ast.stmt.BreakStmt;
import com.github.javaparser.ast.stmt.ContinueStmt;
import com.github.javaparser.ast.stmt.ExpressionStmt;
import com.github.javaparser.ast.stmt.IfStmt;
import com.github.javaparser.ast.stmt.LabeledStmt;
import com.github.javaparser.ast.stmt.ReturnStmt;
import com.github.javaparser.ast.stmt.Statement;
import com.github.javaparser.ast.stmt.SwitchStmt;
import com.github.javaparser.ast.stmt.SynchronizedStmt;
import com.github.javaparser.ast.stmt.TryStmt;
import com.github.javaparser.ast.stmt.YieldStmt;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Splits compound statements into their inner statements, so that a search can keep some of these
 * without the others.
 */
final class CompoundStatements {
  private static final List<String> ASSERTERS =
      Arrays.asList("Assert", "Assertions", "TestCase", "Mockito", "MatcherAssert", "Truth", "BDDMockito", "Verify");

  private CompoundStatements() {}

  /** The statement with its inner statements; uses are those of the whole member. */
  static ScriptStatement make(Node n, Role role, Lexical lexical, String helper, List<NameUse> uses) {
    boolean expression = n instanceof Expression;
    ScriptStatement s = new ScriptStatement(expression ? ScriptStatement.Form.EXPRESSION : ScriptStatement.Form.PLAIN, role, n, lexical, helper);
    s.uses = ScriptBuilder.within(uses, s.start, s.end);
    s.assertion = isAssertion(n);
    s.returns = leaves(n, ReturnStmt.class);
    for (Node child : children(n, s.assertion)) {
      ScriptStatement c = make(child, role, lexical, helper, uses);
      if (movable(c, s)) {
        s.add(c);
      }
    }
    return s;
  }

  /** Whether an inner statement can be moved out of its compound. */
  private static boolean movable(ScriptStatement c, ScriptStatement compound) {
    if (c.returns || jumps(c.node)) {
      return false;
    }
    Set<NameUse.Local> siblings = new HashSet<>();
    compound.inner.forEach(s -> siblings.addAll(s.declares()));
    for (NameUse u : c.uses) {
      boolean bound = u.kind == NameUse.Kind.LOCAL && compound.contains(u.local.at) && !c.contains(u.local.at);
      if (bound && !siblings.contains(u.local)) {
        return false;
      }
    }
    return true;
  }

  private static List<Node> children(Node n, boolean assertion) {
    List<Node> out = new ArrayList<>();
    if (n instanceof BlockStmt) {
      out.addAll(((BlockStmt) n).getStatements());
    } else if (n instanceof TryStmt) {
      out.addAll(((TryStmt) n).getTryBlock().getStatements());
      ((TryStmt) n).getFinallyBlock().ifPresent(f -> out.addAll(f.getStatements()));
    } else if (n instanceof IfStmt) {
      body(((IfStmt) n).getThenStmt(), out);
      ((IfStmt) n).getElseStmt().ifPresent(e -> body(e, out));
    } else if (n instanceof NodeWithBody) { // a loop
      body(((NodeWithBody<?>) n).getBody(), out);
    } else if (n instanceof SynchronizedStmt) {
      body(((SynchronizedStmt) n).getBody(), out);
    } else if (n instanceof LabeledStmt) {
      body(((LabeledStmt) n).getStatement(), out);
    } else if (n instanceof SwitchStmt) {
      ((SwitchStmt) n).getEntries().forEach(e -> out.addAll(e.getStatements()));
    } else if (n instanceof ExpressionStmt && Declarations.declaration(n) == null) {
      expression(((ExpressionStmt) n).getExpression(), assertion, out);
    }
    out.removeIf(c -> c instanceof ReturnStmt || c instanceof BreakStmt || c instanceof ContinueStmt
        || c instanceof YieldStmt || (c instanceof Statement && ((Statement) c).isEmptyStmt()));
    return out;
  }

  private static void body(Statement s, List<Node> out) {
    if (s instanceof BlockStmt) {
      out.addAll(((BlockStmt) s).getStatements());
    } else {
      out.add(s);
    }
  }

  /** Bodies of lambdas without parameters, and calls that are arguments of an assertion. */
  private static void expression(Expression e, boolean assertion, List<Node> out) {
    if (!(e instanceof MethodCallExpr)) {
      return;
    }
    MethodCallExpr call = (MethodCallExpr) e;
    call.getScope().ifPresent(s -> expression(s, assertion, out));
    for (Expression a : call.getArguments()) {
      if (a instanceof LambdaExpr && ((LambdaExpr) a).getParameters().isEmpty()) {
        Statement b = ((LambdaExpr) a).getBody();
        if (b instanceof BlockStmt) {
          out.addAll(((BlockStmt) b).getStatements());
        } else if (canStand(((ExpressionStmt) b).getExpression())) {
          out.add(((ExpressionStmt) b).getExpression());
        }
      } else if (assertion && canStand(a) && !isMatcher(a)) {
        out.add(a);
      }
    }
  }

  private static boolean canStand(Expression e) {
    return e instanceof MethodCallExpr || e instanceof ObjectCreationExpr || e.isAssignExpr();
  }

  /** "is(x)", "equalTo(x)": called for their value only. */
  private static boolean isMatcher(Expression a) {
    return a instanceof MethodCallExpr && !((MethodCallExpr) a).getScope().isPresent();
  }

  static boolean isAssertion(Node n) {
    if (n instanceof Statement && ((Statement) n).isAssertStmt()) {
      return true;
    }
    Expression e = n instanceof ExpressionStmt ? ((ExpressionStmt) n).getExpression() : null;
    while (e instanceof MethodCallExpr) {
      MethodCallExpr call = (MethodCallExpr) e;
      String name = call.getNameAsString();
      Expression scope = call.getScope().orElse(null);
      boolean known = scope == null || scope.isThisExpr() || scope.isSuperExpr()
          || scope.isNameExpr() && ASSERTERS.contains(scope.asNameExpr().getNameAsString());
      if (known && (name.startsWith("assert") || name.equals("fail") || name.startsWith("verify")
          || name.equals("expect") || name.equals("then"))) {
        return true;
      }
      e = scope;
    }
    return false;
  }

  /** Whether a statement of the type inside would leave the method around. */
  static boolean leaves(Node n, Class<? extends Node> type) {
    if (type.isInstance(n)) {
      return true;
    }
    if (n instanceof LambdaExpr || n instanceof BodyDeclaration) {
      return false;
    }
    return n.getChildNodes().stream().anyMatch(c -> leaves(c, type));
  }

  /** Whether a break or continue inside leaves the statement. */
  private static boolean jumps(Node moved) {
    return moved.findFirst(Statement.class, s -> {
      boolean jump = s instanceof BreakStmt || s instanceof ContinueStmt || s instanceof YieldStmt;
      return jump && !aimsInside(s, moved);
    }).isPresent();
  }

  private static boolean aimsInside(Statement jump, Node moved) {
    String label = jump instanceof BreakStmt ? ((BreakStmt) jump).getLabel().map(l -> l.getIdentifier()).orElse(null)
        : jump instanceof ContinueStmt ? ((ContinueStmt) jump).getLabel().map(l -> l.getIdentifier()).orElse(null)
        : null;
    for (Node n = jump; n != null; n = n == moved ? null : n.getParentNode().orElse(null)) {
      boolean loop = n instanceof NodeWithBody;
      boolean other = n instanceof SwitchStmt && jump instanceof BreakStmt
          || n instanceof SwitchExpr && jump instanceof YieldStmt;
      boolean named = n instanceof LabeledStmt && ((LabeledStmt) n).getLabel().getIdentifier().equals(label);
      if (label == null ? loop && !(jump instanceof YieldStmt) || other : named) {
        return true;
      }
    }
    return false;
  }

  /**
   * The argument of "rule.expect(X.class)" where rule is a field of type ExpectedException, or
   * null.
   */
  static Expression expectsByRule(ScriptStatement s) {
    MethodCallExpr call = ruleCall(s);
    boolean expects = call != null && call.getNameAsString().equals("expect") && call.getArguments().size() == 1;
    return expects ? call.getArgument(0) : null;
  }

  static boolean configuresRule(ScriptStatement s) {
    return ruleCall(s) != null;
  }

  private static MethodCallExpr ruleCall(ScriptStatement s) {
    if (!(s.node instanceof ExpressionStmt)
        || !(((ExpressionStmt) s.node).getExpression() instanceof MethodCallExpr)) {
      return null;
    }
    MethodCallExpr call = (MethodCallExpr) ((ExpressionStmt) s.node).getExpression();
    if (!call.getNameAsString().startsWith("expect") || s.uses.isEmpty()) {
      return null;
    }
    NameUse first = s.uses.get(0);
    if (first.kind != NameUse.Kind.FIELD || first.owner.declaration == null) {
      return null;
    }
    return first.owner.declaration.getFieldByName(first.name)
        .filter(f -> f.getVariable(0).getTypeAsString().endsWith("ExpectedException")).isPresent() ? call : null;
  }
}
