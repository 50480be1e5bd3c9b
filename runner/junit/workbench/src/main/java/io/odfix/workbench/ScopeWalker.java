package io.odfix.workbench;

import com.github.javaparser.ast.Node;
import com.github.javaparser.ast.NodeList;
import com.github.javaparser.ast.body.ConstructorDeclaration;
import com.github.javaparser.ast.body.FieldDeclaration;
import com.github.javaparser.ast.body.MethodDeclaration;
import com.github.javaparser.ast.body.Parameter;
import com.github.javaparser.ast.body.VariableDeclarator;
import com.github.javaparser.ast.expr.Expression;
import com.github.javaparser.ast.expr.LambdaExpr;
import com.github.javaparser.ast.expr.NameExpr;
import com.github.javaparser.ast.expr.SimpleName;
import com.github.javaparser.ast.expr.TypePatternExpr;
import com.github.javaparser.ast.expr.VariableDeclarationExpr;
import com.github.javaparser.ast.stmt.BlockStmt;
import com.github.javaparser.ast.stmt.CatchClause;
import com.github.javaparser.ast.stmt.ForEachStmt;
import com.github.javaparser.ast.stmt.ForStmt;
import com.github.javaparser.ast.stmt.SwitchEntry;
import com.github.javaparser.ast.stmt.TryStmt;
import com.github.javaparser.ast.visitor.VoidVisitorAdapter;
import java.util.ArrayList;
import java.util.List;

/** Keeps track of the scopes inside a member while it is walked, and of what they declare. */
abstract class ScopeWalker extends VoidVisitorAdapter<Void> {
  final Source source;
  final List<NameUse> uses = new ArrayList<>();
  Frame frame = new Frame(null, null);
  private boolean header;

  ScopeWalker(Source source) {
    this.source = source;
  }

  final void scoped(Runnable body) {
    frame = new Frame(frame, null);
    try {
      body.run();
    } finally {
      frame = frame.up;
    }
  }

  final void declare(SimpleName name, boolean head) {
    NameUse.Local local = new NameUse.Local(name.getIdentifier(), source.start(name), head || header);
    frame.vars.put(local.name, local);
    add(NameUse.Kind.DECLARES, name).local = local;
  }

  final NameUse add(NameUse.Kind kind, SimpleName name) {
    return add(kind, name.getIdentifier(), source.start(name), source.end(name));
  }

  final NameUse add(NameUse.Kind kind, String name, int start, int end) {
    NameUse u = new NameUse(kind, name, start, end);
    uses.add(u);
    return u;
  }

  final void all(NodeList<? extends Node> nodes) {
    nodes.forEach(n -> n.accept(this, null));
  }

  @Override
  public void visit(BlockStmt n, Void v) {
    scoped(() -> withoutHeader(() -> all(n.getStatements())));
  }

  final void withoutHeader(Runnable body) {
    boolean was = header;
    header = false;
    body.run();
    header = was;
  }

  final void asHeader(Runnable body) {
    boolean was = header;
    header = true;
    body.run();
    header = was;
  }

  @Override
  public void visit(SwitchEntry n, Void v) {
    scoped(() -> {
      for (Expression label : n.getLabels()) {
        int from = uses.size();
        asHeader(() -> label.accept(this, null));
        if (label instanceof NameExpr && uses.size() > from && uses.get(from).kind != NameUse.Kind.LOCAL) {
          uses.get(from).bareOnly = true;
        }
      }
      all(n.getStatements());
    });
  }

  @Override
  public void visit(ForStmt n, Void v) {
    scoped(() -> {
      asHeader(() -> all(n.getInitialization()));
      n.getCompare().ifPresent(c -> c.accept(this, null));
      all(n.getUpdate());
      n.getBody().accept(this, null);
    });
  }

  @Override
  public void visit(ForEachStmt n, Void v) {
    scoped(() -> {
      n.getIterable().accept(this, null);
      asHeader(() -> n.getVariable().accept(this, null));
      n.getBody().accept(this, null);
    });
  }

  @Override
  public void visit(TryStmt n, Void v) {
    scoped(() -> {
      asHeader(() -> all(n.getResources()));
      n.getTryBlock().accept(this, null);
    });
    all(n.getCatchClauses());
    n.getFinallyBlock().ifPresent(f -> f.accept(this, null));
  }

  @Override
  public void visit(CatchClause n, Void v) {
    scoped(() -> {
      n.getParameter().accept(this, null);
      n.getBody().accept(this, null);
    });
  }

  @Override
  public void visit(LambdaExpr n, Void v) {
    scoped(() -> {
      all(n.getParameters());
      withoutHeader(() -> n.getBody().accept(this, null));
    });
  }

  @Override
  public void visit(MethodDeclaration n, Void v) {
    scoped(() -> {
      n.getTypeParameters().forEach(t -> frame.types.put(t.getNameAsString(), Frame.TYPE_VARIABLE));
      all(n.getAnnotations());
      n.getType().accept(this, null);
      all(n.getParameters());
      all(n.getThrownExceptions());
      n.getBody().ifPresent(b -> b.accept(this, null));
    });
  }

  @Override
  public void visit(ConstructorDeclaration n, Void v) {
    scoped(() -> {
      all(n.getParameters());
      n.getBody().accept(this, null);
    });
  }

  @Override
  public void visit(Parameter n, Void v) {
    all(n.getAnnotations());
    if (!n.getType().isUnknownType()) {
      n.getType().accept(this, null);
    }
    declare(n.getName(), true);
  }

  @Override
  public void visit(VariableDeclarationExpr n, Void v) {
    all(n.getAnnotations());
    n.getVariables().get(0).getType().getElementType().accept(this, null);
    all(n.getVariables());
  }

  @Override
  public void visit(VariableDeclarator n, Void v) {
    if (!(n.getParentNode().orElse(null) instanceof VariableDeclarationExpr)) {
      n.getInitializer().ifPresent(i -> i.accept(this, null));
      return;
    }
    declare(n.getName(), false);
    n.getInitializer().ifPresent(i -> i.accept(this, null));
  }

  @Override
  public void visit(FieldDeclaration n, Void v) {
    n.getVariables().get(0).getType().getElementType().accept(this, null);
    all(n.getVariables());
  }

  @Override
  public void visit(TypePatternExpr n, Void v) {
    n.getType().accept(this, null);
    declare(n.getName(), true);
  }
}
