package io.odfix.workbench;

import com.github.javaparser.ast.body.BodyDeclaration;
import com.github.javaparser.ast.body.MethodDeclaration;
import com.github.javaparser.ast.body.TypeDeclaration;
import java.util.List;

/** Classes and methods of the file of one class, for messages with a line. */
final class Outlines {
  private Outlines() {}

  static Api.Outline of(Types types, Api.OutlineRequest r) {
    if (r.type == null || r.type.isEmpty()) {
      throw new Problem("bad-request", "outline needs a class");
    }
    Source s = types.editable(r.type).source;
    Api.Outline out = new Api.Outline();
    out.file = s.path.toString();
    String pkg = s.unit.getPackageDeclaration().map(p -> p.getNameAsString() + ".").orElse("");
    for (TypeDeclaration<?> t : s.unit.getTypes()) {
      type(types, s, t, pkg + t.getNameAsString(), out.types);
    }
    return out;
  }

  private static void type(Types types, Source s, TypeDeclaration<?> t, String binary, List<Api.OutlineType> out) {
    Lifecycle lifecycle = new Lifecycle(types);
    TypeInfo info = types.editable(binary);
    Api.OutlineType o = new Api.OutlineType();
    o.name = binary;
    o.line = s.line(s.start(t.getName()));
    o.framework = lifecycle.framework(info).name().toLowerCase(java.util.Locale.ROOT);
    out.add(o);
    for (BodyDeclaration<?> m : t.getMembers()) {
      if (m instanceof MethodDeclaration) {
        o.methods.add(method(s, lifecycle.role(info, (MethodDeclaration) m), (MethodDeclaration) m));
      } else if (m instanceof TypeDeclaration) {
        type(types, s, (TypeDeclaration<?>) m, binary + "$" + ((TypeDeclaration<?>) m).getNameAsString(), out);
      }
    }
  }

  private static Api.OutlineMethod method(Source s, Role role, MethodDeclaration m) {
    Api.OutlineMethod o = new Api.OutlineMethod();
    o.name = m.getNameAsString();
    o.line = s.line(s.start(m.getName()));
    o.endLine = m.getRange().get().end.line;
    o.role = role == null ? "" : role == Role.BODY ? "test" : role.wire;
    return o;
  }
}
