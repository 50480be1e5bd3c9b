package io.odfix.workbench;

import com.github.javaparser.ast.expr.AssignExpr;
import com.github.javaparser.ast.expr.VariableDeclarationExpr;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Links statements to the earlier ones that they need: the declaration of each name that they use
 * and, if the declaration has no value, the assignment. It follows names, not values.
 */
final class StatementNeeds {
  private final List<ScriptStatement> script;
  private final Map<Object, ScriptStatement> declared = new HashMap<>();
  private final Map<Object, ScriptStatement> assigned = new HashMap<>();

  StatementNeeds(List<ScriptStatement> script) {
    this.script = script;
  }

  /** The referent of a use: one local, or one field of this helper's instance. */
  static Object key(NameUse u) {
    if (u.kind == NameUse.Kind.LOCAL || u.kind == NameUse.Kind.DECLARES) {
      return u.local;
    }
    return u.kind == NameUse.Kind.FIELD ? u.owner.binary + "." + u.name : null;
  }

  static Object key(ScriptStatement field) {
    return field.lexical.self.binary + "." + field.variable().getNameAsString();
  }

  void link() {
    for (ScriptStatement s : script) {
      if (s.form == ScriptStatement.Form.FIELD) {
        declared.putIfAbsent(key(s), s);
      }
    }
    script.forEach(this::link);
  }

  private void link(ScriptStatement s) {
    for (NameUse u : s.uses) {
      Object key = key(u);
      if (key == null || u.kind == NameUse.Kind.DECLARES) {
        continue;
      }
      boolean state = u.kind == NameUse.Kind.FIELD;
      need(s, declared.get(key), state);
      boolean onlyWrites = u.write && s.node != null && target(s, u);
      if (!onlyWrites) {
        need(s, assigned.get(key), state);
      }
    }
    s.inner.forEach(this::link);
    note(s);
  }

  private static boolean target(ScriptStatement s, NameUse u) {
    AssignExpr a = Declarations.assignment(s.node);
    return a != null && u.end <= s.source().end(a.getTarget());
  }

  private static void need(ScriptStatement s, ScriptStatement on, boolean state) {
    if (on == null || on == s) {
      return;
    }
    for (ScriptStatement p = s; p != null; p = p.parent) {
      if (p == on) {
        return; // it is inside the statement that it would need
      }
    }
    for (ScriptStatement p = on; p != null; p = p.parent) {
      if (p == s) {
        return;
      }
    }
    (state ? s.needsState : s.needs).add(on);
  }

  /** "initMocks(this)" in a setup gives the annotated fields their values. */
  private void filled(ScriptStatement s) {
    boolean escapes = s.role == Role.SETUP && s.uses.stream().anyMatch(
        u -> u.kind == NameUse.Kind.THIS && u.type == null);
    for (ScriptStatement f : escapes ? script : new java.util.ArrayList<ScriptStatement>()) {
      if (f.form == ScriptStatement.Form.FIELD && !initialised(f) && f.annotated("")) {
        assigned.putIfAbsent(key(f), s);
      }
    }
  }

  private void note(ScriptStatement s) {
    filled(s);
    s.declares().forEach(l -> declared.put(l, s));
    AssignExpr a = s.node == null ? null : Declarations.assignment(s.node);
    if (a == null) {
      return;
    }
    for (NameUse u : s.uses) {
      if (u.write && target(s, u) && key(u) != null && !initialised(declared.get(key(u)))) {
        assigned.put(key(u), s);
      }
    }
  }

  private static boolean initialised(ScriptStatement declaration) {
    if (declaration == null) {
      return false;
    }
    if (declaration.form == ScriptStatement.Form.FIELD) {
      return declaration.variable().getInitializer().isPresent();
    }
    VariableDeclarationExpr d = Declarations.declaration(declaration.node);
    return d != null && d.getVariables().stream().allMatch(v -> v.getInitializer().isPresent());
  }

  /** Removes fields that no statement uses and whose initialisation has no effect. */
  static void dropIdleFields(List<ScriptStatement> script) {
    boolean dropped = true;
    while (dropped) {
      java.util.Set<ScriptStatement> used = new java.util.HashSet<>();
      script.forEach(s -> s.walk(x -> used.addAll(x.needsState)));
      dropped = script.removeIf(s -> s.form == ScriptStatement.Form.FIELD && !used.contains(s) && idle(s));
    }
  }

  private static boolean idle(ScriptStatement field) {
    boolean isStatic = field.lexical.self.fields.get(field.variable().getNameAsString()).isStatic();
    return isStatic || field.annotated("Rule", "ClassRule", "RegisterExtension") || !field.variable().getInitializer().isPresent()
        || !field.variable().getInitializer().get().findFirst(
            com.github.javaparser.ast.expr.Expression.class,
            e -> e.isMethodCallExpr() || e.isObjectCreationExpr()).isPresent();
  }
}
