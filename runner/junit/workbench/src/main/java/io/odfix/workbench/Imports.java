package io.odfix.workbench;

import com.github.javaparser.ast.ImportDeclaration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The names that a file uses for classes and static members of moved code: a name that the file
 * already imports, a new import if the name is free, else the full name.
 */
final class Imports {
  private final Source source;
  private final Map<String, String> added = new HashMap<>();
  private final List<String> plain = new ArrayList<>();
  private final List<String> statics = new ArrayList<>();

  Imports(Source source) {
    this.source = source;
  }

  /**
   * The text by which code in that scope names the type. direct: import a member type by itself.
   */
  String reference(Lexical at, TypeInfo t, boolean direct) {
    TypeInfo here = at.type(t.simple());
    if (here != null && here.binary.equals(t.binary)) {
      return t.simple();
    }
    accessible(at, t);
    String pending = added.get(t.simple());
    if (t.canonical().equals(pending)) {
      return t.simple();
    }
    boolean free = here == null && pending == null;
    if (t.outer != null && !(direct && free)) {
      TypeInfo outer = at.types.find(t.outer);
      return outer == null ? t.canonical() : reference(at, outer, false) + "." + t.simple();
    }
    if (t.pkg().isEmpty()) {
      if (!at.pkg().isEmpty()) {
        throw new Problem("default-package", t.simple() + " is in the default package and cannot be named from "
            + at.pkg());
      }
      return t.simple();
    }
    if (!free) {
      return t.canonical();
    }
    add(t);
    return t.simple();
  }

  private void add(TypeInfo t) {
    added.put(t.simple(), t.canonical());
    plain.add(t.canonical());
  }

  private static void accessible(Lexical at, TypeInfo t) {
    boolean samePackage = t.pkg().equals(at.pkg());
    boolean sameTop = at.self != null && t.top().equals(at.self.top());
    if (t.isPrivate() && !sameTop) {
      throw new Problem("private", t.canonical() + " is private");
    }
    TypeInfo outer = t.outer == null ? null : at.types.find(t.outer);
    boolean inInterface = outer != null && java.lang.reflect.Modifier.isInterface(outer.flags);
    if (!samePackage && !t.isPublic() && !inInterface) {
      throw new Problem("not-visible", t.canonical() + " is not visible outside its package");
    }
    if (outer != null) {
      accessible(at, outer);
    }
  }

  /** The text by which code in that scope names a statically imported member. */
  String staticMember(Lexical at, TypeInfo owner, String name, boolean method) {
    TypeInfo already = at.staticImport(name, method);
    boolean hidden = method ? at.method(name, 0) != null : at.field(name) != null;
    if (!hidden && already != null && already.binary.equals(owner.binary)) {
      return name;
    }
    String pending = added.get("static " + name);
    String wanted = owner.canonical() + "." + name;
    if (hidden || already != null || (pending != null && !pending.equals(wanted))) {
      return reference(at, owner, false) + "." + name;
    }
    accessible(at, owner);
    if (pending == null) {
      added.put("static " + name, wanted);
      statics.add(wanted);
    }
    return name;
  }

  /** Inserts the new imports among those of their kind, in alphabetical order. */
  void write(Edits edits) {
    statics.sort(null);
    plain.sort(null);
    for (String s : plain) {
      insert(edits, s, false);
    }
    for (String s : statics) {
      insert(edits, s, true);
    }
  }

  private void insert(Edits edits, String name, boolean isStatic) {
    String line = "import " + (isStatic ? "static " : "") + name + ";";
    List<ImportDeclaration> like = new ArrayList<>();
    for (ImportDeclaration i : source.unit.getImports()) {
      if (i.isStatic() == isStatic && !i.isModule()) {
        like.add(i);
      }
    }
    if (like.isEmpty()) {
      fresh(edits, line, isStatic);
      return;
    }
    int best = -1;
    for (ImportDeclaration i : like) {
      best = Math.max(best, common(i.getNameAsString(), name));
    }
    ImportDeclaration after = null;
    ImportDeclaration before = null;
    for (ImportDeclaration i : like) {
      if (common(i.getNameAsString(), name) == best) {
        before = before == null ? i : before;
        after = i.getNameAsString().compareTo(name) < 0 ? i : after;
      }
    }
    if (after != null) {
      edits.insert(source.end(after), source.eol + line);
    } else {
      edits.insert(source.start(before), line + source.eol);
    }
  }

  /** No import of the kind yet: static ones go after the others, plain ones before. */
  private void fresh(Edits edits, String line, boolean isStatic) {
    String eol = source.eol;
    List<ImportDeclaration> all = source.unit.getImports();
    boolean firstOfKind = !added.containsKey("wrote " + isStatic);
    added.put("wrote " + isStatic, "");
    String gap = firstOfKind ? eol : "";
    if (!all.isEmpty() && isStatic) {
      edits.insert(source.end(all.get(all.size() - 1)), gap + eol + line);
    } else if (source.unit.getPackageDeclaration().isPresent()) {
      edits.insert(source.end(source.unit.getPackageDeclaration().get()), gap + eol + line);
    } else {
      int at = all.isEmpty() ? source.start(source.unit.getTypes().get(0)) : source.start(all.get(0));
      edits.insert(at, line + eol);
    }
  }

  /** Number of leading name parts in common: an import list groups packages by them. */
  private static int common(String a, String b) {
    String[] x = a.split("\\.");
    String[] y = b.split("\\.");
    int n = 0;
    while (n < x.length - 1 && n < y.length - 1 && x[n].equals(y[n])) {
      n++;
    }
    return n;
  }
}
