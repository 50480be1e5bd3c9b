package io.odfix.workbench;

import com.github.javaparser.ast.ImportDeclaration;
import com.github.javaparser.ast.body.TypeDeclaration;
import com.github.javaparser.ast.type.ClassOrInterfaceType;
import java.util.ArrayList;
import java.util.List;

/**
 * The meaning of simple names inside one class body of one file (Java Language Specification, 6.3
 * and 6.4): enclosing and inherited members first, then the file's own types, single imports, the
 * package, imports on demand, java.lang, and imported modules.
 */
final class Lexical {
  final Types types;
  final Source source;
  final TypeInfo self;

  /** self may be null: the top of the file, outside any class. */
  Lexical(Types types, Source source, TypeInfo self) {
    this.types = types;
    this.source = source;
    this.self = self;
  }

  String pkg() {
    return source.unit.getPackageDeclaration().map(p -> p.getNameAsString()).orElse("");
  }

  /** The class and those around it, innermost first. */
  List<TypeInfo> enclosing() {
    List<TypeInfo> out = new ArrayList<>();
    for (TypeInfo t = self; t != null; t = t.outer == null ? null : types.find(t.outer)) {
      out.add(t);
    }
    return out;
  }

  TypeInfo type(ClassOrInterfaceType t) {
    if (!t.getScope().isPresent()) {
      return type(t.getNameAsString());
    }
    TypeInfo outer = type(t.getScope().get());
    if (outer != null) {
      return types.nested(outer, t.getNameAsString());
    }
    return types.canonical(t.getNameWithScope());
  }

  /** The type that a simple name means here, or null if it is unknown. */
  TypeInfo type(String simple) {
    for (TypeInfo e : enclosing()) {
      if (e.simple().equals(simple)) {
        return e;
      }
      TypeInfo n = types.nested(e, simple);
      if (n != null) {
        return n;
      }
    }
    String prefix = pkg().isEmpty() ? "" : pkg() + ".";
    for (TypeDeclaration<?> t : source.unit.getTypes()) {
      if (t.getNameAsString().equals(simple)) {
        return types.editable(prefix + simple);
      }
    }
    TypeInfo t = imported(simple);
    if (t == null) {
      t = types.find(prefix + simple);
    }
    if (t == null) {
      t = onDemand(simple);
    }
    if (t == null) {
      t = types.find("java.lang." + simple);
    }
    return t != null ? t : inModule(simple);
  }

  private TypeInfo imported(String simple) {
    for (ImportDeclaration i : source.unit.getImports()) {
      String name = i.getNameAsString();
      if (i.isAsterisk() || i.isModule() || !i.getName().getIdentifier().equals(simple)) {
        continue;
      }
      TypeInfo t = types.canonical(name);
      if (t != null || !i.isStatic()) {
        return t != null ? t : byName(name);
      }
    }
    return null;
  }

  /**
   * A class without source or class file is known by its import. Its package ends before the first
   * capital.
   */
  private static TypeInfo byName(String canonical) {
    StringBuilder binary = new StringBuilder();
    boolean inClass = false;
    for (String part : canonical.split("\\.")) {
      if (binary.length() > 0) {
        binary.append(inClass ? '$' : '.');
      }
      inClass |= Character.isUpperCase(part.charAt(0));
      binary.append(part);
    }
    return new TypeInfo(binary.toString(), java.lang.reflect.Modifier.PUBLIC);
  }

  private TypeInfo onDemand(String simple) {
    for (ImportDeclaration i : source.unit.getImports()) {
      if (i.isAsterisk()) {
        TypeInfo t = types.find(i.getNameAsString() + "." + simple);
        if (t == null) {
          TypeInfo outer = types.canonical(i.getNameAsString());
          t = outer == null ? null : types.nested(outer, simple);
        }
        if (t != null) {
          return t;
        }
      }
    }
    return null;
  }

  /** The class of an imported module; null if there is none, or if the name is that of several. */
  private TypeInfo inModule(String simple) {
    TypeInfo found = null;
    for (ImportDeclaration i : source.unit.getImports()) {
      if (!i.isModule()) {
        continue;
      }
      for (String pkg : Modules.packages(i.getNameAsString())) {
        TypeInfo t = ClassPath.platform(pkg + "." + simple);
        if (t == null || !t.isPublic()) {
          continue;
        }
        if (found != null && !found.binary.equals(t.binary)) {
          return null;
        }
        found = t;
      }
    }
    return found;
  }

  Types.Found field(String name) {
    for (TypeInfo e : enclosing()) {
      Types.Found f = types.field(e, name);
      if (f != null) {
        return f;
      }
    }
    return null;
  }

  /** As the language does it: the innermost class with any method of the name decides. */
  Types.Found method(String name, int arguments) {
    for (TypeInfo e : enclosing()) {
      Types.Found f = types.method(e, name, arguments);
      if (f != null) {
        return f;
      }
    }
    return null;
  }

  /** The class from which a name is imported statically, or null. */
  TypeInfo staticImport(String name, boolean method) {
    TypeInfo wild = null;
    for (ImportDeclaration i : source.unit.getImports()) {
      if (!i.isStatic()) {
        continue;
      }
      if (!i.isAsterisk() && i.getName().getIdentifier().equals(name)) {
        String owner = i.getName().getQualifier().map(q -> q.asString()).orElse("");
        TypeInfo t = types.canonical(owner);
        t = t == null ? byName(owner) : t;
        boolean seen = t.fields.isEmpty() && t.methods.isEmpty();
        if (seen || (method ? types.method(t, name, 0) != null : types.field(t, name) != null)) {
          return t;
        }
      } else if (i.isAsterisk() && wild == null) {
        TypeInfo t = types.canonical(i.getNameAsString());
        boolean has = t != null && (method ? types.method(t, name, 0) != null : types.field(t, name) != null);
        wild = has ? t : null;
      }
    }
    return wild;
  }
}
