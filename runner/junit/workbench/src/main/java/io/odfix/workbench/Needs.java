package io.odfix.workbench;

import com.github.javaparser.ast.expr.AssignExpr;
import com.github.javaparser.ast.expr.VariableDeclarationExpr;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Links statements to the earlier ones they cannot do without: the declaration of each name they
 * use and, where that gives no value, the assignment that does. Names are followed, values are not.
 */
final class Needs {
  private final List<Stmt> script;
  private final Map<Object, Stmt> declared = new HashMap<>();
  private final Map<Object, Stmt> assigned = new HashMap<>();

  Needs(List<Stmt> script) {
    this.script = script;
  }

  /** What a use refers to: one local, or one field of this helper's instance. */
  static Object key(Use u) {
    if (u.kind == Use.Kind.LOCAL || u.kind == Use.Kind.DECLARES) {
      return u.local;
    }
    return u.kind == Use.Kind.FIELD ? u.owner.binary + "." + u.name : null;
  }

  static Object key(Stmt field) {
    return field.lexical.self.binary + "." + field.variable().getNameAsString();
  }

  void link() {
    for (Stmt s : script) {
      if (s.form == Stmt.Form.FIELD) {
        declared.putIfAbsent(key(s), s);
      }
    }
    script.forEach(this::link);
  }

  private void link(Stmt s) {
    for (Use u : s.uses) {
      Object key = key(u);
      if (key == null || u.kind == Use.Kind.DECLARES) {
        continue;
      }
      boolean state = u.kind == Use.Kind.FIELD;
      need(s, declared.get(key), state);
      boolean onlyWrites = u.write && s.node != null && target(s, u);
      if (!onlyWrites) {
        need(s, assigned.get(key), state);
      }
    }
    s.inner.forEach(this::link);
    note(s);
  }

  private static boolean target(Stmt s, Use u) {
    AssignExpr a = Declared.assignment(s.node);
    return a != null && u.end <= s.source().end(a.getTarget());
  }

  private static void need(Stmt s, Stmt on, boolean state) {
    if (on == null || on == s) {
      return;
    }
    for (Stmt p = s; p != null; p = p.parent) {
      if (p == on) {
        return; // it stands inside what it would need
      }
    }
    for (Stmt p = on; p != null; p = p.parent) {
      if (p == s) {
        return;
      }
    }
    (state ? s.needsState : s.needs).add(on);
  }

  /** "initMocks(this)" in a setup gives the annotated fields their values. */
  private void filled(Stmt s) {
    boolean escapes = s.role == Role.SETUP && s.uses.stream().anyMatch(
        u -> u.kind == Use.Kind.THIS && u.type == null);
    for (Stmt f : escapes ? script : new java.util.ArrayList<Stmt>()) {
      if (f.form == Stmt.Form.FIELD && !initialised(f) && f.annotated("")) {
        assigned.putIfAbsent(key(f), s);
      }
    }
  }

  private void note(Stmt s) {
    filled(s);
    s.declares().forEach(l -> declared.put(l, s));
    AssignExpr a = s.node == null ? null : Declared.assignment(s.node);
    if (a == null) {
      return;
    }
    for (Use u : s.uses) {
      if (u.write && target(s, u) && key(u) != null && !initialised(declared.get(key(u)))) {
        assigned.put(key(u), s);
      }
    }
  }

  private static boolean initialised(Stmt declaration) {
    if (declaration == null) {
      return false;
    }
    if (declaration.form == Stmt.Form.FIELD) {
      return declaration.variable().getInitializer().isPresent();
    }
    VariableDeclarationExpr d = Declared.declaration(declaration.node);
    return d != null && d.getVariables().stream().allMatch(v -> v.getInitializer().isPresent());
  }

  /** Removes fields that no statement uses and whose initialisation does nothing by itself. */
  static void dropIdleFields(List<Stmt> script) {
    boolean dropped = true;
    while (dropped) {
      java.util.Set<Stmt> used = new java.util.HashSet<>();
      script.forEach(s -> s.walk(x -> used.addAll(x.needsState)));
      dropped = script.removeIf(s -> s.form == Stmt.Form.FIELD && !used.contains(s) && idle(s));
    }
  }

  private static boolean idle(Stmt field) {
    boolean isStatic = field.lexical.self.fields.get(field.variable().getNameAsString()).isStatic();
    return isStatic || field.annotated("Rule", "ClassRule", "RegisterExtension") || !field.variable().getInitializer().isPresent()
        || !field.variable().getInitializer().get().findFirst(
            com.github.javaparser.ast.expr.Expression.class,
            e -> e.isMethodCallExpr() || e.isObjectCreationExpr()).isPresent();
  }
}
