package io.odfix.workbench;

import com.github.javaparser.ast.Node;
import com.github.javaparser.ast.NodeList;
import com.github.javaparser.ast.body.BodyDeclaration;
import com.github.javaparser.ast.body.TypeDeclaration;
import com.github.javaparser.ast.expr.AssignExpr;
import com.github.javaparser.ast.expr.Expression;
import com.github.javaparser.ast.expr.FieldAccessExpr;
import com.github.javaparser.ast.expr.MarkerAnnotationExpr;
import com.github.javaparser.ast.expr.MethodCallExpr;
import com.github.javaparser.ast.expr.Name;
import com.github.javaparser.ast.expr.NameExpr;
import com.github.javaparser.ast.expr.NormalAnnotationExpr;
import com.github.javaparser.ast.expr.ObjectCreationExpr;
import com.github.javaparser.ast.expr.SimpleName;
import com.github.javaparser.ast.expr.SingleMemberAnnotationExpr;
import com.github.javaparser.ast.expr.SuperExpr;
import com.github.javaparser.ast.expr.ThisExpr;
import com.github.javaparser.ast.expr.UnaryExpr;
import com.github.javaparser.ast.stmt.LocalClassDeclarationStmt;
import com.github.javaparser.ast.type.ClassOrInterfaceType;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Finds every simple name in one member of a class, and its meaning there. */
final class NameWalker extends ScopeWalker {
  private final Lexical lexical;

  private NameWalker(Lexical lexical) {
    super(lexical.source);
    this.lexical = lexical;
  }

  /** The uses in a member (method, field, initialiser), by position. */
  static List<NameUse> walk(Lexical lexical, Node member) {
    NameWalker w = new NameWalker(lexical);
    member.accept(w, null);
    w.uses.sort(Comparator.comparingInt(u -> u.start));
    return w.uses;
  }

  // Class bodies.

  @Override
  public void visit(LocalClassDeclarationStmt n, Void v) {
    SimpleName name = n.getClassDeclaration().getName();
    NameUse.Local local = new NameUse.Local(name.getIdentifier(), source.start(name), false);
    frame.types.put(local.name, local);
    add(NameUse.Kind.DECLARES, name).local = local;
    all(n.getClassDeclaration().getExtendedTypes());
    all(n.getClassDeclaration().getImplementedTypes());
    List<TypeInfo> bases = new ArrayList<>();
    n.getClassDeclaration().getExtendedTypes().forEach(t -> bases.add(lexical.type(t)));
    n.getClassDeclaration().getImplementedTypes().forEach(t -> bases.add(lexical.type(t)));
    classBody(n.getClassDeclaration().getMembers(), bases);
  }

  @Override
  public void visit(ObjectCreationExpr n, Void v) {
    boolean qualified = n.getScope().isPresent();
    TypeInfo made = qualified ? null : typeOf(n.getType());
    if (qualified) {
      n.getScope().get().accept(this, null);
      n.getType().getTypeArguments().ifPresent(this::all);
    } else {
      n.getType().accept(this, null);
      if (made != null && !made.isStatic && !n.getType().getScope().isPresent()) {
        add(NameUse.Kind.THIS, "this", source.start(n), source.start(n)).type = made;
      }
    }
    all(n.getArguments());
    if (n.getAnonymousClassBody().isPresent()) {
      List<TypeInfo> bases = new ArrayList<>();
      bases.add(made);
      classBody(n.getAnonymousClassBody().get(), bases);
    }
  }

  private TypeInfo typeOf(ClassOrInterfaceType t) {
    return frame.localType(t.getNameAsString()) != null ? null : lexical.type(t);
  }

  private void classBody(NodeList<BodyDeclaration<?>> members, List<TypeInfo> bases) {
    frame = new Frame(frame, new Frame.Body(lexical.types, bases));
    for (BodyDeclaration<?> m : members) {
      frame.body.declare(m);
    }
    for (BodyDeclaration<?> m : members) {
      if (m instanceof TypeDeclaration) {
        classBody(((TypeDeclaration<?>) m).getMembers(), new ArrayList<>());
      } else {
        withoutHeader(() -> m.accept(this, null));
      }
    }
    frame = frame.up;
  }

  // Names.

  @Override
  public void visit(NameExpr n, Void v) {
    variable(n.getName(), source.start(n), false);
  }

  private void variable(SimpleName name, int start, boolean viaThis) {
    String id = name.getIdentifier();
    NameUse.Local local = viaThis ? null : frame.variable(id);
    if (local == Frame.MEMBER) {
      return;
    }
    Types.Found f = local != null ? null : lexical.field(id);
    TypeInfo imported = local == null && f == null ? lexical.staticImport(id, false) : null;
    NameUse u;
    if (local != null) {
      u = add(NameUse.Kind.LOCAL, name);
      u.local = local;
    } else if (f != null) {
      u = add(NameUse.Kind.FIELD, id, start, source.end(name));
      u.owner = f.owner;
      u.member = f.member;
      u.viaThis = viaThis;
    } else if (imported != null) {
      u = add(NameUse.Kind.STATIC, name);
      u.owner = imported;
    } else if (!viaThis) {
      type(name);
      return;
    } else {
      add(NameUse.Kind.THIS, "this", start, start);
      return;
    }
    u.write = writes(name);
  }

  private static boolean writes(SimpleName name) {
    Node e = name.getParentNode().orElse(null);
    Node p = e == null ? null : e.getParentNode().orElse(null);
    if (p instanceof AssignExpr) {
      return ((AssignExpr) p).getTarget() == e;
    }
    return p instanceof UnaryExpr && (((UnaryExpr) p).isPostfix()
        || ((UnaryExpr) p).getOperator() == UnaryExpr.Operator.PREFIX_INCREMENT
        || ((UnaryExpr) p).getOperator() == UnaryExpr.Operator.PREFIX_DECREMENT);
  }

  private void type(SimpleName name) {
    NameUse.Local local = frame.localType(name.getIdentifier());
    if (local == Frame.TYPE_VARIABLE) {
      return;
    }
    if (local != null) {
      add(NameUse.Kind.LOCAL, name).local = local;
      return;
    }
    if (name.getIdentifier().equals("var")) {
      return;
    }
    TypeInfo t = lexical.type(name.getIdentifier());
    add(t == null ? NameUse.Kind.UNKNOWN : NameUse.Kind.TYPE, name).type = t;
  }

  @Override
  public void visit(ClassOrInterfaceType n, Void v) {
    all(n.getAnnotations());
    n.getTypeArguments().ifPresent(this::all);
    if (n.getScope().isPresent() && inFull(n, source.start(n), source.end(n.getName()))) {
      return;
    }
    if (n.getScope().isPresent()) {
      n.getScope().get().accept(this, null);
    } else {
      type(n.getName());
    }
  }

  @Override
  public void visit(FieldAccessExpr n, Void v) {
    if (n.getScope() instanceof ThisExpr && !((ThisExpr) n.getScope()).getTypeName().isPresent()) {
      if (frame.inClassBody()) {
        return;
      }
      variable(n.getName(), source.start(n), true);
    } else if (!inFull(n, source.start(n), source.end(n))) {
      n.getScope().accept(this, null);
    }
  }

  /** Made statements use full names of classes. At their place, these are written with imports. */
  private boolean inFull(Node n, int start, int end) {
    TypeInfo t = Made.is(lexical.self) ? lexical.types.canonical(source.text.substring(start, end)) : null;
    if (t != null) {
      add(NameUse.Kind.TYPE, source.text(n), start, end).type = t;
    }
    return t != null;
  }

  @Override
  public void visit(MethodCallExpr n, Void v) {
    n.getTypeArguments().ifPresent(this::all);
    Expression scope = n.getScope().orElse(null);
    boolean viaThis = scope instanceof ThisExpr && !((ThisExpr) scope).getTypeName().isPresent();
    if (scope != null && !viaThis) {
      scope.accept(this, null);
    } else if (!(viaThis && frame.inClassBody())) {
      called(n, viaThis);
    }
    all(n.getArguments());
  }

  private void called(MethodCallExpr n, boolean viaThis) {
    String id = n.getNameAsString();
    if (!viaThis && frame.method(id)) {
      return;
    }
    Types.Found f = lexical.method(id, n.getArguments().size());
    TypeInfo imported = f == null ? lexical.staticImport(id, true) : null;
    NameUse u;
    if (f != null) {
      u = add(NameUse.Kind.METHOD, id, viaThis ? source.start(n) : source.start(n.getName()), source.end(n.getName()));
      u.owner = f.owner;
      u.member = f.member;
      u.viaThis = viaThis;
    } else if (imported != null) {
      u = add(NameUse.Kind.STATIC, n.getName());
      u.owner = imported;
    } else {
      u = add(NameUse.Kind.UNKNOWN, n.getName());
    }
    u.call = true;
  }

  @Override
  public void visit(ThisExpr n, Void v) {
    if (n.getTypeName().isPresent() || !frame.inClassBody()) {
      add(NameUse.Kind.THIS, "this", source.start(n), source.end(n));
    }
  }

  @Override
  public void visit(SuperExpr n, Void v) {
    if (!frame.inClassBody()) {
      add(NameUse.Kind.SUPER, "super", source.start(n), source.end(n));
    }
  }

  // Annotations.

  @Override
  public void visit(MarkerAnnotationExpr n, Void v) {
    annotation(n.getName());
  }

  @Override
  public void visit(SingleMemberAnnotationExpr n, Void v) {
    annotation(n.getName());
    n.getMemberValue().accept(this, null);
  }

  @Override
  public void visit(NormalAnnotationExpr n, Void v) {
    annotation(n.getName());
    n.getPairs().forEach(p -> p.getValue().accept(this, null));
  }

  private void annotation(Name name) {
    if (!name.getQualifier().isPresent()) {
      TypeInfo t = lexical.type(name.getIdentifier());
      add(t == null ? NameUse.Kind.UNKNOWN : NameUse.Kind.TYPE, name.getIdentifier(), source.start(name), source.end(name))
          .type = t;
    }
  }
}
