package io.odfix.workbench;

import com.github.javaparser.ast.Modifier.Keyword;
import com.github.javaparser.ast.body.BodyDeclaration;
import com.github.javaparser.ast.body.CallableDeclaration;
import com.github.javaparser.ast.body.ClassOrInterfaceDeclaration;
import com.github.javaparser.ast.body.EnumDeclaration;
import com.github.javaparser.ast.body.FieldDeclaration;
import com.github.javaparser.ast.body.MethodDeclaration;
import com.github.javaparser.ast.body.RecordDeclaration;
import com.github.javaparser.ast.body.TypeDeclaration;
import com.github.javaparser.ast.body.VariableDeclarator;
import com.github.javaparser.ast.nodeTypes.modifiers.NodeWithAccessModifiers;
import com.github.javaparser.ast.type.ClassOrInterfaceType;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Every class that a request can see, by binary name: from the test sources, else from the class
 * path.
 */
final class Types {
  /** A member and the class that declares it. */
  static final class Found {
    final TypeInfo owner;
    final TypeInfo.Member member;

    Found(TypeInfo owner, TypeInfo.Member member) {
      this.owner = owner;
      this.member = member;
    }
  }

  private static final Map<Keyword, Integer> FLAGS = new HashMap<>();

  static {
    FLAGS.put(Keyword.PUBLIC, Modifier.PUBLIC);
    FLAGS.put(Keyword.PROTECTED, Modifier.PROTECTED);
    FLAGS.put(Keyword.PRIVATE, Modifier.PRIVATE);
    FLAGS.put(Keyword.STATIC, Modifier.STATIC);
    FLAGS.put(Keyword.FINAL, Modifier.FINAL);
    FLAGS.put(Keyword.ABSTRACT, Modifier.ABSTRACT);
  }

  final Sources sources;
  final ClassPath classPath;
  private final Map<String, TypeInfo> known = new HashMap<>();

  Types(Sources sources, ClassPath classPath) {
    this.sources = sources;
    this.classPath = classPath;
  }

  /** The class of that binary name, or null. */
  TypeInfo find(String binary) {
    if (!isName(binary)) {
      return null;
    }
    if (!known.containsKey(binary)) {
      TypeInfo t = fromSource(binary, false);
      known.put(binary, t != null ? t : classPath.find(binary));
    }
    return known.get(binary);
  }

  /** As {@link #find}, for a class that must be edited or read as source. */
  TypeInfo editable(String binary) {
    TypeInfo t = find(binary);
    if (t == null || t.declaration == null) {
      t = fromSource(binary, true);
      known.put(binary, t != null ? t : known.get(binary));
    }
    if (t != null) {
      return t;
    }
    int dot = binary.lastIndexOf('.');
    String pkg = dot < 0 ? "" : binary.substring(0, dot);
    java.nio.file.Path other = sources.foreign(pkg, outermost(binary.substring(dot + 1)));
    if (other != null) {
      throw new Problem("language", binary + " is written in another language (" + other
          + "): its tests run, but odfix edits Java sources only");
    }
    throw new Problem("no-source", "no source of class " + binary + " in the test source roots " + sources.roots
        + "; check the class name, and that generated test sources are among the roots");
  }

  /** Whether it can name a class. Damaged sources contain names that no file system accepts. */
  static boolean isName(String binary) {
    return !binary.isEmpty() && binary.chars().allMatch(
        c -> c == '.' || Character.isJavaIdentifierPart(c) && !Character.isIdentifierIgnorable(c));
  }

  private static String outermost(String nested) {
    int at = nested.indexOf('$', 1);
    return at < 0 ? nested : nested.substring(0, at);
  }

  private TypeInfo fromSource(String binary, boolean thorough) {
    int dot = binary.lastIndexOf('.');
    String pkg = dot < 0 ? "" : binary.substring(0, dot);
    String rest = binary.substring(dot + 1);
    String top = outermost(rest);
    if (top.isEmpty()) {
      return null;
    }
    Source s = sources.topLevel(pkg, top);
    TypeInfo t = s == null ? null : inFile(s, pkg, rest);
    if (t == null && thorough) {
      s = sources.secondary(pkg, top);
      t = s == null ? null : inFile(s, pkg, rest);
    }
    return t;
  }

  private TypeInfo inFile(Source s, String pkg, String nestedName) {
    String declared = s.unit.getPackageDeclaration().map(p -> p.getNameAsString()).orElse("");
    if (!declared.equals(pkg)) {
      return null;
    }
    for (TypeDeclaration<?> t : s.unit.getTypes()) {
      TypeInfo hit = within(s, t, (pkg.isEmpty() ? "" : pkg + ".") + t.getNameAsString(), null,
          (pkg.isEmpty() ? "" : pkg + ".") + nestedName);
      if (hit != null) {
        return hit;
      }
    }
    return null;
  }

  private TypeInfo within(Source s, TypeDeclaration<?> d, String binary, String outer, String wanted) {
    if (binary.equals(wanted)) {
      return declared(s, d, binary, outer);
    }
    if (wanted.startsWith(binary + "$")) {
      for (BodyDeclaration<?> m : d.getMembers()) {
        if (m instanceof TypeDeclaration) {
          TypeDeclaration<?> n = (TypeDeclaration<?>) m;
          TypeInfo hit = within(s, n, binary + "$" + n.getNameAsString(), binary, wanted);
          if (hit != null) {
            return hit;
          }
        }
      }
    }
    return null;
  }

  /** The literal that a variable of type String begins with, else null. */
  private static String string(VariableDeclarator v) {
    boolean is = v.getTypeAsString().equals("String") && v.getInitializer().filter(e -> e.isStringLiteralExpr()).isPresent();
    return is ? "\"" + v.getInitializer().get().asStringLiteralExpr().getValue() + "\"" : null;
  }

  private TypeInfo declared(Source s, TypeDeclaration<?> d, String binary, String outer) {
    TypeInfo t = new TypeInfo(binary, flags(d));
    t.source = s;
    t.declaration = d;
    t.outer = outer;
    boolean plainClass = d instanceof ClassOrInterfaceDeclaration && !((ClassOrInterfaceDeclaration) d).isInterface();
    t.isStatic = outer == null || !plainClass || d.hasModifier(Keyword.STATIC) || isInterface(outer);
    boolean inInterface = d instanceof ClassOrInterfaceDeclaration && ((ClassOrInterfaceDeclaration) d).isInterface();
    int implied = inInterface ? Modifier.PUBLIC : 0;
    for (BodyDeclaration<?> m : d.getMembers()) {
      if (m instanceof FieldDeclaration) {
        int f = flags((FieldDeclaration) m) | implied | (inInterface ? Modifier.STATIC | Modifier.FINAL : 0);
        ((FieldDeclaration) m).getVariables().forEach(v -> t.fields.put(v.getNameAsString(),
            new TypeInfo.Member(v.getNameAsString(), f, 0, false).constant(string(v))));
      } else if (m instanceof MethodDeclaration) {
        MethodDeclaration method = (MethodDeclaration) m;
        boolean varargs = method.getParameters().stream().anyMatch(p -> p.isVarArgs());
        t.addMethod(new TypeInfo.Member(method.getNameAsString(), flags((CallableDeclaration<?>) method) | implied,
            method.getParameters().size(), varargs));
      } else if (m instanceof TypeDeclaration) {
        String simple = ((TypeDeclaration<?>) m).getNameAsString();
        t.nested.put(simple, binary + "$" + simple);
      }
    }
    generated(t, d);
    known.putIfAbsent(binary, t);
    return t;
  }

  /** Members that the language adds, and members that only the compiled class has (Lombok). */
  private void generated(TypeInfo t, TypeDeclaration<?> d) {
    if (d instanceof EnumDeclaration) {
      ((EnumDeclaration) d).getEntries().forEach(e -> t.fields.put(e.getNameAsString(),
          new TypeInfo.Member(e.getNameAsString(), Modifier.PUBLIC | Modifier.STATIC, 0, false)));
      t.addMethod(new TypeInfo.Member("values", Modifier.PUBLIC | Modifier.STATIC, 0, false));
      t.addMethod(new TypeInfo.Member("valueOf", Modifier.PUBLIC | Modifier.STATIC, 1, false));
    }
    if (d instanceof RecordDeclaration) {
      ((RecordDeclaration) d).getParameters().forEach(p -> t.fields.put(p.getNameAsString(),
          new TypeInfo.Member(p.getNameAsString(), Modifier.PRIVATE, 0, false)));
    }
    if (!d.getAnnotations().isEmpty()) {
      TypeInfo compiled = classPath.find(t.binary);
      if (compiled != null) {
        compiled.fields.forEach(t.fields::putIfAbsent);
        compiled.methods.forEach(t.methods::putIfAbsent);
      }
    }
  }

  private boolean isInterface(String binary) {
    TypeInfo t = find(binary);
    return t != null && t.declaration instanceof ClassOrInterfaceDeclaration
        && ((ClassOrInterfaceDeclaration) t.declaration).isInterface();
  }

  static int flags(NodeWithAccessModifiers<?> n) {
    com.github.javaparser.ast.nodeTypes.NodeWithModifiers<?> m =
        (com.github.javaparser.ast.nodeTypes.NodeWithModifiers<?>) n;
    return m.getModifiers().stream().mapToInt(x -> FLAGS.getOrDefault(x.getKeyword(), 0)).reduce(0, (a, b) -> a | b);
  }

  /** The superclass, or null. Only the name is known of a class without source and class file. */
  TypeInfo superOf(TypeInfo t) {
    if (t.declaration instanceof ClassOrInterfaceDeclaration && t.superName == null) {
      ClassOrInterfaceDeclaration d = (ClassOrInterfaceDeclaration) t.declaration;
      if (d.isInterface() || d.getExtendedTypes().isEmpty()) {
        t.superName = "java.lang.Object";
      } else {
        TypeInfo s = resolve(d.getExtendedTypes(0), t);
        t.superName = s == null ? d.getExtendedTypes(0).getNameWithScope() : s.binary;
      }
    }
    if (t.superName == null) {
      return null;
    }
    TypeInfo s = find(t.superName);
    return s != null ? s : new TypeInfo(t.superName, Modifier.PUBLIC);
  }

  private List<TypeInfo> interfacesOf(TypeInfo t) {
    List<TypeInfo> out = new ArrayList<>();
    if (t.declaration instanceof ClassOrInterfaceDeclaration) {
      ClassOrInterfaceDeclaration d = (ClassOrInterfaceDeclaration) t.declaration;
      for (ClassOrInterfaceType i : d.isInterface() ? d.getExtendedTypes() : d.getImplementedTypes()) {
        TypeInfo s = resolve(i, t);
        if (s != null) {
          out.add(s);
        }
      }
    }
    for (String i : t.interfaces) {
      TypeInfo s = find(i);
      if (s != null) {
        out.add(s);
      }
    }
    return out;
  }

  private TypeInfo resolve(ClassOrInterfaceType type, TypeInfo from) {
    Lexical around = from.outer == null ? new Lexical(this, from.source, null)
        : new Lexical(this, from.source, find(from.outer));
    return around.type(type);
  }

  /** The class itself, then everything it inherits from, nearest first. */
  List<TypeInfo> lineage(TypeInfo t) {
    List<TypeInfo> out = new ArrayList<>();
    collect(t, out, new HashSet<>());
    return out;
  }

  private void collect(TypeInfo t, List<TypeInfo> out, Set<String> seen) {
    if (t == null || !seen.add(t.binary)) {
      return;
    }
    out.add(t);
    collect(superOf(t), out, seen);
    for (TypeInfo i : interfacesOf(t)) {
      collect(i, out, seen);
    }
  }

  /** The class and its superclasses that have sources, the class first. */
  List<TypeInfo> sourceChain(TypeInfo t) {
    List<TypeInfo> out = new ArrayList<>();
    for (TypeInfo x = t; x != null && x.declaration != null && out.size() < 64; x = superOf(x)) {
      if (out.contains(x)) {
        break;
      }
      out.add(x);
    }
    return out;
  }

  boolean inherits(TypeInfo t, String binary) {
    return lineage(t).stream().anyMatch(x -> x.binary.equals(binary));
  }

  Found field(TypeInfo t, String name) {
    for (TypeInfo x : lineage(t)) {
      TypeInfo.Member m = x.fields.get(name);
      if (m != null) {
        return new Found(x, m);
      }
    }
    return null;
  }

  /**
   * The method with that name and number of arguments. If none has this number, any method with
   * that name.
   */
  Found method(TypeInfo t, String name, int arguments) {
    Found any = null;
    for (TypeInfo x : lineage(t)) {
      for (TypeInfo.Member m : x.methods.getOrDefault(name, java.util.Collections.emptyList())) {
        if (m.takes(arguments)) {
          return new Found(x, m);
        }
        any = any == null ? new Found(x, m) : any;
      }
    }
    return any;
  }

  /** A member type, inherited ones too, or null. */
  TypeInfo nested(TypeInfo t, String simple) {
    for (TypeInfo x : lineage(t)) {
      String n = x.nested.get(simple);
      if (n != null) {
        return find(n);
      }
    }
    return null;
  }

  /** Finds "a.b.Outer.Inner" by trying where the package ends; null if there is none. */
  TypeInfo canonical(String dotted) {
    String binary = dotted;
    while (true) {
      TypeInfo t = find(binary);
      if (t != null) {
        return t;
      }
      int dot = binary.lastIndexOf('.');
      if (dot < 0) {
        return null;
      }
      binary = binary.substring(0, dot) + "$" + binary.substring(dot + 1);
    }
  }

}
