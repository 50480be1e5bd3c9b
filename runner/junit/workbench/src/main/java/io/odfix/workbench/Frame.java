package io.odfix.workbench;

import com.github.javaparser.ast.body.BodyDeclaration;
import com.github.javaparser.ast.body.FieldDeclaration;
import com.github.javaparser.ast.body.MethodDeclaration;
import com.github.javaparser.ast.body.TypeDeclaration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One scope inside a member: a block, a lambda, or the body of an anonymous or local class. */
final class Frame {
  /** Marks a member of an anonymous or local class: the name means nothing outside. */
  static final NameUse.Local MEMBER = new NameUse.Local("", -1, true);
  static final NameUse.Local TYPE_VARIABLE = new NameUse.Local("", -2, true);

  /** The members that an anonymous or local class declares or inherits. */
  static final class Body {
    private final Types types;
    private final List<TypeInfo> bases;
    private final Set<String> fields = new HashSet<>();
    private final Set<String> methods = new HashSet<>();
    private final Set<String> nested = new HashSet<>();

    Body(Types types, List<TypeInfo> bases) {
      this.types = types;
      this.bases = bases;
      this.bases.removeIf(b -> b == null);
    }

    void declare(BodyDeclaration<?> m) {
      if (m instanceof FieldDeclaration) {
        ((FieldDeclaration) m).getVariables().forEach(v -> fields.add(v.getNameAsString()));
      } else if (m instanceof MethodDeclaration) {
        methods.add(((MethodDeclaration) m).getNameAsString());
      } else if (m instanceof TypeDeclaration) {
        nested.add(((TypeDeclaration<?>) m).getNameAsString());
      }
    }

    boolean field(String name) {
      return fields.contains(name) || bases.stream().anyMatch(b -> inherited(types.field(b, name)));
    }

    boolean method(String name) {
      return methods.contains(name) || bases.stream().anyMatch(b -> inherited(types.method(b, name, 0)));
    }

    private static boolean inherited(Types.Found f) {
      return f != null && !f.member.isPrivate();
    }
  }

  final Frame up;
  final Body body;
  final Map<String, NameUse.Local> vars = new HashMap<>();
  final Map<String, NameUse.Local> types = new HashMap<>();

  Frame(Frame up, Body body) {
    this.up = up;
    this.body = body;
  }

  /** The local of that name, or null. MEMBER if a class body's own member hides all outer names. */
  NameUse.Local variable(String name) {
    for (Frame f = this; f != null; f = f.up) {
      if (f.vars.containsKey(name)) {
        return f.vars.get(name);
      }
      if (f.body != null && f.body.field(name)) {
        return MEMBER;
      }
    }
    return null;
  }

  NameUse.Local localType(String name) {
    for (Frame f = this; f != null; f = f.up) {
      if (f.types.containsKey(name)) {
        return f.types.get(name);
      }
      if (f.body != null && f.body.nested.contains(name)) {
        return TYPE_VARIABLE;
      }
    }
    return null;
  }

  /** Whether a class body between here and the member has a method of that name. */
  boolean method(String name) {
    for (Frame f = this; f != null; f = f.up) {
      if (f.body != null && f.body.method(name)) {
        return true;
      }
    }
    return false;
  }

  boolean inClassBody() {
    for (Frame f = this; f != null; f = f.up) {
      if (f.body != null) {
        return true;
      }
    }
    return false;
  }
}
