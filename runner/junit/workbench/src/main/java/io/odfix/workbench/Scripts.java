package io.odfix.workbench;

import java.util.List;

/** Converts the statements of helpers to a response of the workbench. */
final class Scripts {
  private Scripts() {}

  static Api.Script of(Types types, Api.ScriptRequest r) {
    List<ScriptStatement> script = ScriptBuilder.build(types, r.helpers);
    Target target = null;
    if (r.target != null && !r.target.isEmpty()) {
      TypeInfo t = types.editable(TestId.parse(r.target).type);
      target = new Target(new Lexical(types, t.source, t), null, false);
    }
    Api.Script out = new Api.Script();
    for (ScriptStatement s : script) {
      out.statements.add(statement(s, target));
    }
    return out;
  }

  private static Api.Statement statement(ScriptStatement s, Target target) {
    Api.Statement a = new Api.Statement();
    a.id = s.id;
    a.role = s.role.wire;
    a.text = s.text();
    a.file = s.source().path.toString();
    a.line = s.source().line(s.start);
    a.assertion = s.assertion;
    a.returns = s.returns;
    a.shared = s.form == ScriptStatement.Form.FIELD && target != null && new Mover(target, null).usedInPlace(s);
    if (s.form == ScriptStatement.Form.FIELD) {
      a.declares.add(s.variable().getNameAsString());
    }
    s.declares().forEach(l -> a.declares.add(l.name));
    s.needs.forEach(n -> a.needs.add(n.id));
    for (ScriptStatement n : s.needsState) {
      boolean given = target != null && target.isInstanceOf(n.lexical.self);
      if (!given && !a.needs.contains(n.id)) {
        a.needs.add(n.id);
      }
    }
    s.inner.forEach(i -> a.inner.add(statement(i, target)));
    return a;
  }
}
