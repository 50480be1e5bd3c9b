package io.odfix.workbench;

import com.github.javaparser.ast.Node;
import com.github.javaparser.ast.NodeList;
import com.github.javaparser.ast.body.BodyDeclaration;
import com.github.javaparser.ast.body.ConstructorDeclaration;
import com.github.javaparser.ast.body.FieldDeclaration;
import com.github.javaparser.ast.body.InitializerDeclaration;
import com.github.javaparser.ast.body.MethodDeclaration;
import com.github.javaparser.ast.body.VariableDeclarator;
import com.github.javaparser.ast.expr.AnnotationExpr;
import com.github.javaparser.ast.expr.Expression;
import com.github.javaparser.ast.expr.MemberValuePair;
import com.github.javaparser.ast.expr.MethodCallExpr;
import com.github.javaparser.ast.stmt.ExplicitConstructorInvocationStmt;
import com.github.javaparser.ast.stmt.ExpressionStmt;
import com.github.javaparser.ast.stmt.ReturnStmt;
import com.github.javaparser.ast.stmt.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Lists the statements that helper tests run, in the order in which JUnit runs them: what
 * get_setup, get_body and get_teardown do in iFixFlakies (Shi et al., section 3.2, figure 6), and
 * field initialisers and constructors, on which a setup depends.
 */
final class ScriptBuilder {
  private final Types types;
  private final Lifecycle lifecycle;
  private final List<ScriptStatement> out = new ArrayList<>();
  private String helper;

  private ScriptBuilder(Types types) {
    this.types = types;
    this.lifecycle = new Lifecycle(types);
  }

  static List<ScriptStatement> build(Types types, List<String> helpers) {
    if (helpers == null || helpers.isEmpty()) {
      throw new Problem("no-helpers", "no helper tests were given");
    }
    List<ScriptStatement> all = new ArrayList<>();
    for (int h = 0; h < helpers.size(); h++) {
      ScriptBuilder b = new ScriptBuilder(types);
      b.helper = helpers.get(h);
      b.helper(TestId.parse(helpers.get(h)));
      new StatementNeeds(b.out).link();
      StatementNeeds.dropIdleFields(b.out);
      for (int i = 0; i < b.out.size(); i++) {
        number(b.out.get(i), h + "." + i);
      }
      all.addAll(b.out);
    }
    return all;
  }

  private static void number(ScriptStatement s, String id) {
    s.id = id;
    for (int i = 0; i < s.inner.size(); i++) {
      number(s.inner.get(i), id + "." + i);
    }
  }

  private void helper(TestId id) {
    TypeInfo t = types.editable(id.type);
    Lifecycle.Step test = lifecycle.test(t, id);
    List<TypeInfo> ancestry = lifecycle.ancestry(t);
    ancestry.forEach(c -> fields(c, true));
    lifecycle.steps(t, Role.CLASS_SETUP).forEach(s -> method(s.owner, s.method, Role.CLASS_SETUP));
    for (TypeInfo c : ancestry) {
      fields(c, false);
      constructor(c);
    }
    lifecycle.steps(t, Role.SETUP).forEach(s -> setup(s, t, test));
    body(test);
    lifecycle.steps(t, Role.TEARDOWN).forEach(s -> method(s.owner, s.method, Role.TEARDOWN));
    lifecycle.steps(t, Role.CLASS_TEARDOWN).forEach(s -> method(s.owner, s.method, Role.CLASS_TEARDOWN));
  }

  private Lexical lexical(TypeInfo c) {
    return new Lexical(types, c.source, c);
  }

  private void fields(TypeInfo c, boolean statics) {
    for (BodyDeclaration<?> m : c.declaration.getMembers()) {
      if (m instanceof FieldDeclaration && ((FieldDeclaration) m).isStatic() == statics) {
        List<NameUse> uses = NameWalker.walk(lexical(c), m);
        for (VariableDeclarator v : ((FieldDeclaration) m).getVariables()) {
          ScriptStatement s = new ScriptStatement(ScriptStatement.Form.FIELD, Role.FIELD, v, lexical(c), helper);
          s.uses = within(uses, s.start, s.end);
          // The type precedes all declarators.
          s.uses.addAll(0, within(uses, s.source().start(v.getType()), s.source().end(v.getType())));
          out.add(s);
        }
      } else if (m instanceof InitializerDeclaration && !statics && !((InitializerDeclaration) m).isStatic()) {
        List<NameUse> uses = NameWalker.walk(lexical(c), m);
        block(((InitializerDeclaration) m).getBody().getStatements(), Role.CONSTRUCTOR, c, uses);
      }
    }
  }

  private void constructor(TypeInfo c) {
    for (ConstructorDeclaration k : c.declaration.getConstructors()) {
      if (k.getParameters().isEmpty()) {
        block(k.getBody().getStatements(), Role.CONSTRUCTOR, c, NameWalker.walk(lexical(c), k));
      }
    }
  }

  /**
   * The statements of a setup. An inherited setup that assigns private fields which methods of its
   * own class read becomes a call if such methods are called. With a local variable, they would not
   * see the value.
   */
  private void setup(Lifecycle.Step s, TypeInfo t, Lifecycle.Step test) {
    MethodDeclaration m = s.method;
    Types.Found f = types.method(s.owner, m.getNameAsString(), 0);
    boolean reached = m.isPublic() || m.isProtected() || !m.isPrivate() && s.owner.pkg().equals(t.pkg());
    if (s.owner == t || !m.getParameters().isEmpty() || m.isStatic() || !reached || f == null || !fillsHidden(s, test)) {
      method(s.owner, m, Role.SETUP);
      return;
    }
    ScriptStatement call = new ScriptStatement(ScriptStatement.Form.CALL, Role.SETUP, m.getName(), lexical(s.owner), helper);
    NameUse u = new NameUse(NameUse.Kind.METHOD, m.getNameAsString(), call.start, call.end);
    u.owner = f.owner;
    u.member = f.member;
    u.call = true;
    call.uses.add(u);
    out.add(call);
  }

  private boolean fillsHidden(Lifecycle.Step s, Lifecycle.Step test) {
    List<NameUse> uses = new ArrayList<>(NameWalker.walk(lexical(s.owner), s.method));
    boolean fills = uses.stream().anyMatch(u -> u.kind == NameUse.Kind.FIELD && u.write && u.member.isPrivate() && own(u, s.owner));
    uses.addAll(NameWalker.walk(lexical(test.owner), test.method));
    return fills && uses.stream().anyMatch(u -> u.kind == NameUse.Kind.METHOD && own(u, s.owner));
  }

  private static boolean own(NameUse u, TypeInfo c) {
    return u.member != null && !u.isStatic() && u.owner != null && u.owner.binary.equals(c.binary);
  }

  private void method(TypeInfo c, MethodDeclaration m, Role role) {
    m.getBody().ifPresent(b -> block(b.getStatements(), role, c, NameWalker.walk(lexical(c), m)));
  }

  private void block(NodeList<Statement> statements, Role role, TypeInfo c, List<NameUse> uses) {
    for (Statement n : statements) {
      if (n instanceof ReturnStmt || n instanceof ExplicitConstructorInvocationStmt || n.isEmptyStmt()) {
        continue;
      }
      if (!callsSuper(n, role, c)) {
        out.add(CompoundStatements.make(n, role, lexical(c), helper, uses));
      }
    }
  }

  /**
   * "super.setUp();" is replaced by the statements of the superclass's method, if its source is
   * known.
   */
  private boolean callsSuper(Statement n, Role role, TypeInfo c) {
    if (!(n instanceof ExpressionStmt) || !((ExpressionStmt) n).getExpression().isMethodCallExpr()) {
      return false;
    }
    MethodCallExpr call = ((ExpressionStmt) n).getExpression().asMethodCallExpr();
    if (!call.getScope().isPresent() || !call.getScope().get().isSuperExpr() || !call.getArguments().isEmpty()) {
      return false;
    }
    TypeInfo parent = types.superOf(c);
    for (TypeInfo x : parent == null ? new ArrayList<TypeInfo>() : types.sourceChain(parent)) {
      for (MethodDeclaration m : x.declaration.getMethodsByName(call.getNameAsString())) {
        if (m.getParameters().isEmpty()) {
          method(x, m, role);
          return true;
        }
      }
    }
    Types.Found f = parent == null ? null : types.method(parent, call.getNameAsString(), 0);
    return f != null && f.owner.binary.equals("junit.framework.TestCase");
  }

  private void body(Lifecycle.Step test) {
    int from = out.size();
    method(test.owner, test.method, Role.BODY);
    List<ScriptStatement> body = new ArrayList<>(out.subList(from, out.size()));
    AnnotationExpr a = Lifecycle.annotation(test.method, "Test");
    Expression expected = a == null ? null : pair(a, "expected");
    if (expected != null && expected.isClassExpr()) {
      guard(body, body, test.owner, test.method, expected.asClassExpr().getType());
      return;
    }
    for (int i = 0; i < body.size(); i++) {
      Expression rule = CompoundStatements.expectsByRule(body.get(i));
      if (rule != null) {
        out.remove(body.get(i));
        List<ScriptStatement> rest = new ArrayList<>(body.subList(i + 1, body.size()));
        rest.removeIf(s -> CompoundStatements.configuresRule(s) && out.remove(s));
        guard(body, rest, test.owner, test.method, rule.isClassExpr() ? rule.asClassExpr().getType() : null);
        return;
      }
    }
  }

  private void guard(List<ScriptStatement> body, List<ScriptStatement> inside, TypeInfo c, MethodDeclaration m, Node type) {
    if (inside.isEmpty()) {
      return;
    }
    ScriptStatement g = new ScriptStatement(ScriptStatement.Form.EXPECTED, Role.BODY, null, lexical(c), helper);
    g.start = inside.get(0).start;
    g.end = inside.get(inside.size() - 1).end;
    g.expected = type == null ? "Throwable" : g.source().text(type);
    inside.forEach(s -> g.uses.addAll(s.uses)); // exactly the same locals, not another walk's
    if (type != null) {
      List<NameUse> uses = NameWalker.walk(lexical(c), m);
      g.expectedAt = g.source().start(type);
      g.uses.addAll(within(uses, g.expectedAt, g.source().end(type)));
    }
    out.removeAll(inside);
    out.add(g);
    inside.forEach(g::add);
    g.returns = inside.stream().anyMatch(s -> s.returns);
  }

  private static Expression pair(AnnotationExpr a, String name) {
    if (a.isNormalAnnotationExpr()) {
      for (MemberValuePair p : a.asNormalAnnotationExpr().getPairs()) {
        if (p.getNameAsString().equals(name)) {
          return p.getValue();
        }
      }
    }
    return null;
  }

  static List<NameUse> within(List<NameUse> uses, int start, int end) {
    List<NameUse> hits = new ArrayList<>();
    for (NameUse u : uses) {
      if (u.start >= start && u.end <= end) {
        hits.add(u);
      }
    }
    return hits;
  }
}
