package io.odfix.workbench;

import com.github.javaparser.ast.body.TypeDeclaration;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/** The names of a class, read from its source if there is one, else from its class file. */
final class TypeInfo {
  /** A field or method; flags as in {@link Modifier}. */
  static final class Member {
    final String name;
    final int flags;
    final int params;
    final boolean varargs;
    /** The literal of a constant of type String, else null. */
    String constant;

    Member(String name, int flags, int params, boolean varargs) {
      this.name = name;
      this.flags = flags;
      this.params = params;
      this.varargs = varargs;
    }

    /** Sets the constant, if the field is one. */
    Member constant(String literal) {
      constant = isStatic() && Modifier.isFinal(flags) ? literal : null;
      return this;
    }

    boolean isStatic() {
      return Modifier.isStatic(flags);
    }

    boolean isPrivate() {
      return Modifier.isPrivate(flags);
    }

    boolean takes(int arguments) {
      return varargs ? arguments >= params - 1 : arguments == params;
    }
  }

  final String binary;
  int flags;
  boolean isStatic = true;
  String outer;
  String superName;
  final List<String> interfaces = new ArrayList<>();
  final Map<String, Member> fields = new LinkedHashMap<>();
  final Map<String, List<Member>> methods = new LinkedHashMap<>();
  final Map<String, String> nested = new LinkedHashMap<>();
  Source source;
  TypeDeclaration<?> declaration;

  TypeInfo(String binary, int flags) {
    this.binary = binary;
    this.flags = flags;
  }

  /** The data of a compiled class for name resolution. */
  static TypeInfo of(CompiledClass c) {
    TypeInfo t = new TypeInfo(dotted(c.name), c.access);
    t.superName = c.parent == null ? null : dotted(c.parent);
    c.interfaces.forEach(i -> t.interfaces.add(dotted(i)));
    if (c.outer != null && !c.anonymous) {
      t.outer = dotted(c.outer);
      t.isStatic = !c.inner;
    }
    c.nested.forEach((simple, name) -> t.nested.put(simple, dotted(name)));
    c.fields.values().stream().filter(f -> (f.access & Opcodes.ACC_SYNTHETIC) == 0)
        .forEach(f -> t.fields.put(f.name, new Member(f.name, f.access, 0, false).constant(f.constant)));
    c.methods.stream().filter(m -> (m.access & Opcodes.ACC_SYNTHETIC) == 0).forEach(m -> t.addMethod(new Member(
        m.name, m.access, Type.getArgumentTypes(m.descriptor).length, (m.access & Opcodes.ACC_VARARGS) != 0)));
    return t;
  }

  private static String dotted(String internal) {
    return internal.replace('/', '.');
  }

  void addMethod(Member m) {
    methods.computeIfAbsent(m.name, k -> new ArrayList<>()).add(m);
  }

  /** The name in Java source. */
  String canonical() {
    return binary.replace('$', '.');
  }

  String pkg() {
    int dot = binary.lastIndexOf('.');
    return dot < 0 ? "" : binary.substring(0, dot);
  }

  String simple() {
    return binary.substring(Math.max(binary.lastIndexOf('.'), binary.lastIndexOf('$')) + 1);
  }

  /** Binary name of the outermost class around it. */
  String top() {
    int at = binary.indexOf('$', binary.lastIndexOf('.') + 2);
    return at < 0 ? binary : binary.substring(0, at);
  }

  boolean isPublic() {
    return Modifier.isPublic(flags);
  }

  boolean isPrivate() {
    return Modifier.isPrivate(flags);
  }

  @Override
  public String toString() {
    return canonical();
  }
}
