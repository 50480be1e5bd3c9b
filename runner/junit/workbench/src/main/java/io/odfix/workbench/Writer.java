package io.odfix.workbench;

import com.github.javaparser.ast.Node;
import com.github.javaparser.ast.body.VariableDeclarator;
import com.github.javaparser.ast.expr.AssignExpr;
import com.github.javaparser.ast.expr.Expression;
import com.github.javaparser.ast.expr.VariableDeclarationExpr;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Writes kept statements as lines for their new place, plainly or each behind a switch. */
final class Writer {
  private static final String IDLE = "a declaration that does nothing by itself";
  private static final String SWITCH = "io.odfix.harness.Switch.on(";

  private final Mover mover;
  private final String unit;
  private final Keep keep;
  /** Statements written as lines so far, by statement. */
  final Map<Stmt, List<String>> written = new LinkedHashMap<>();
  final List<Api.Note> unswitchable = new ArrayList<>();
  final List<Api.Note> problems = new ArrayList<>();

  Writer(Mover mover, String unit, Keep keep) {
    this.mover = mover;
    this.unit = unit;
    this.keep = keep;
  }

  List<String> write(List<Stmt> kept) {
    List<String> out = new ArrayList<>();
    mover.plan(kept);
    Folding folding = new Folding(kept, keep, mover);
    for (int i = 0; i < kept.size(); i++) {
      Stmt s = kept.get(i);
      try {
        if (folding.folds(s)) {
          mover.fold(s, folding.variable(s), folding.value(s));
          continue;
        }
        List<String> lines = one(s, kept, i);
        if (!lines.isEmpty()) {
          written.put(s, lines);
          out.addAll(lines);
        }
      } catch (Problem p) {
        problems.add(new Api.Note(s.id, p.code, "`" + shortened(s) + "` " + p.getMessage()));
      }
    }
    return out;
  }

  /** The fields that the place's class must be given, each as its lines. */
  List<List<String>> asked() {
    List<List<String>> out = new ArrayList<>();
    mover.asked.forEach(f -> out.add(Injected.lines(f, mover, type(f))));
    return out;
  }

  static String shortened(Stmt s) {
    String text = s.text().replaceAll("\\s+", " ");
    return text.length() <= 80 ? text : text.substring(0, 77) + "...";
  }

  private List<String> one(Stmt s, List<Stmt> kept, int at) {
    Integer k = keep.index(s);
    if (s.form == Stmt.Form.FIELD) {
      return field(s, k, kept, at);
    }
    if (mover.onlyConstructs(s)) {
      return Collections.emptyList();
    }
    VariableDeclarationExpr d = s.node == null ? null : Declared.declaration(s.node);
    if (d != null) {
      return k == null ? plain(s) : declaration(s, d, k, kept);
    }
    Stmt merged = mergedField(s, kept, keep, mover);
    if (merged != null) {
      List<String> lines = plain(s);
      lines.set(0, type(merged) + " " + lines.get(0).replaceFirst("^this\\.", ""));
      return lines;
    }
    if (k == null) {
      return plain(s);
    }
    if (s.node != null && Declared.isLocalType(s.node)) {
      unswitchable.add(new Api.Note(s.id, "type", "a local class; declaring it does nothing"));
      return plain(s);
    }
    Stmt only = onlyAssignment(s, kept);
    return only != null ? assignment(s, k, zeroOf(s, only)) : switched(k, plain(s));
  }

  // Fields that become locals.

  private List<String> field(Stmt s, Integer k, List<Stmt> kept, int at) {
    if (mover.usedInPlace(s)) {
      return Collections.emptyList();
    }
    VariableDeclarator v = s.variable();
    String name = mover.nameOf(s);
    String declared = type(s) + " " + name;
    if (!v.getInitializer().isPresent()) {
      Stmt first = firstUser(s, kept, at);
      if (k == null && first != null && assigns(first, s, keep)) {
        return Collections.emptyList(); // declared where it gets its value
      }
      boolean once = k != null && assignments(Mover.key(s), kept) == 1 && topAssignment(Mover.key(s), kept) != null;
      if (k != null) {
        unswitchable.add(new Api.Note(s.id, "declaration", IDLE));
      }
      return list(once ? declared + ";" : declared + " = " + Literals.zero(v.getType()) + ";");
    }
    List<String> value = value(s, v);
    if (k != null && idle(v)) {
      unswitchable.add(new Api.Note(s.id, "declaration", IDLE));
      return assign(declared, value);
    }
    return k == null ? assign(declared, value) : choice(declared, name, value, k, Literals.zero(v.getType()));
  }

  private String type(Stmt field) {
    VariableDeclarator v = field.variable();
    return elementType(field, v) + dims(v);
  }

  private String elementType(Stmt s, VariableDeclarator v) {
    Node t = v.getType().getElementType();
    return mover.edits(s).apply(s.source().text, s.source().start(t), s.source().end(t));
  }

  private static String dims(VariableDeclarator v) {
    return String.join("", Collections.nCopies(v.getType().getArrayLevel(), "[]"));
  }

  private static Stmt firstUser(Stmt field, List<Stmt> kept, int at) {
    for (Stmt s : kept.subList(at + 1, kept.size())) {
      if (s.uses.stream().anyMatch(u -> uses(s, u, Mover.key(field)))) {
        return s;
      }
    }
    return null;
  }

  static boolean uses(Stmt s, Use u, Object key) {
    if (u.kind == Use.Kind.FIELD) {
      return (s.helper + "|" + Needs.key(u)).equals(key);
    }
    return u.kind == Use.Kind.LOCAL && u.local == key;
  }

  private static boolean assigns(Stmt s, Stmt field, Keep keep) {
    return s.form == Stmt.Form.PLAIN && keep.index(s) == null && s == topAssignment(Mover.key(field), list(s));
  }

  /** The field that the statement gives its first value, so that both become one declaration. */
  static Stmt mergedField(Stmt s, List<Stmt> kept, Keep keep, Mover mover) {
    if (keep.index(s) != null || s.node == null || Declared.assignment(s.node) == null) {
      return null;
    }
    for (int i = 0; i < kept.size(); i++) {
      Stmt f = kept.get(i);
      boolean lifts = f.form == Stmt.Form.FIELD && !f.variable().getInitializer().isPresent()
          && keep.index(f) == null && !mover.usedInPlace(f);
      if (lifts && firstUser(f, kept, i) == s && assigns(s, f, keep)) {
        return f;
      }
    }
    return null;
  }

  // Assignments that must stay the only ones, so that lambdas may capture the variable.

  private static int assignments(Object key, List<Stmt> kept) {
    int n = 0;
    for (Stmt s : kept) {
      n += (int) s.uses.stream().filter(u -> u.write && uses(s, u, key)).count();
    }
    return n;
  }

  private static Stmt topAssignment(Object key, List<Stmt> kept) {
    for (Stmt s : kept) {
      AssignExpr a = s.node == null ? null : Declared.assignment(s.node);
      if (a != null && s.uses.stream().anyMatch(
          u -> u.write && uses(s, u, key) && u.end <= s.source().end(a.getTarget()))) {
        return s;
      }
    }
    return null;
  }

  /** The uninitialised declaration whose one and only value this statement gives, or null. */
  private Stmt onlyAssignment(Stmt s, List<Stmt> kept) {
    AssignExpr a = s.node == null ? null : Declared.assignment(s.node);
    if (a == null) {
      return null;
    }
    for (Stmt d : kept) {
      for (Object key : keysOf(d)) {
        if (topAssignment(key, list(s)) == s && assignments(key, kept) == 1) {
          return d;
        }
      }
    }
    return null;
  }

  private List<Object> keysOf(Stmt d) {
    List<Object> keys = new ArrayList<>();
    if (d.form == Stmt.Form.FIELD) {
      if (!d.variable().getInitializer().isPresent() && !mover.usedInPlace(d)) {
        keys.add(Mover.key(d));
      }
      return keys;
    }
    VariableDeclarationExpr e = d.node == null ? null : Declared.declaration(d.node);
    if (e != null) {
      for (Use.Local l : d.declares()) {
        e.getVariables().stream()
            .filter(v -> v.getNameAsString().equals(l.name) && !v.getInitializer().isPresent())
            .forEach(v -> keys.add(l));
      }
    }
    return keys;
  }

  private String zeroOf(Stmt s, Stmt declaration) {
    if (declaration.form == Stmt.Form.FIELD) {
      return Literals.zero(declaration.variable().getType());
    }
    for (VariableDeclarator v : Declared.declaration(declaration.node).getVariables()) {
      if (s.uses.stream().anyMatch(u -> u.write && u.name.equals(v.getNameAsString()))) {
        return Literals.zero(v.getType());
      }
    }
    return "null";
  }

  private List<String> assignment(Stmt s, int k, String zero) {
    AssignExpr a = Declared.assignment(s.node);
    String name = mover.edits(s).apply(s.source().text, s.source().start(a.getTarget()), s.source().end(a.getTarget()));
    List<String> out = new ArrayList<>();
    out.add("if (" + SWITCH + k + ")) {");
    out.addAll(Indent.deeper(plain(s), unit));
    out.addAll(Arrays.asList("} else {", unit + name + " = " + zero + ";", "}"));
    return out;
  }

  // Declarations.

  private List<String> declaration(Stmt s, VariableDeclarationExpr d, int k, List<Stmt> kept) {
    List<String> out = new ArrayList<>();
    boolean valued = false;
    String text = s.source().text;
    Edits edits = mover.edits(s);
    String element = edits.apply(text, s.source().start(d.getElementType()), s.source().end(d.getElementType()));
    String head = edits.apply(text, s.start, s.source().start(d.getElementType()));
    for (VariableDeclarator v : d.getVariables()) {
      String name = edits.apply(text, s.source().start(v.getName()), s.source().end(v.getName()));
      String declared = head + element + dims(v) + " " + name;
      if (!v.getInitializer().isPresent()) {
        Use.Local l = local(s, v);
        boolean once = assignments(l, kept) == 1 && topAssignment(l, kept) != null;
        out.add(once ? declared + ";" : declared + " = " + Literals.zero(v.getType()) + ";");
      } else if (idle(v)) {
        out.addAll(assign(declared, value(s, v))); // may be a constant that a switch label needs
      } else if (v.getType().isVarType() || v.getTypeAsString().equals("var")) {
        valued = true;
        out.addAll(assign(declared + " = " + SWITCH + k + ") ? (", value(s, v), ") : " + Literals.zeroLike(v) + ";"));
      } else {
        valued = true;
        out.addAll(choice(declared, name, value(s, v), k, Literals.zero(v.getType())));
      }
    }
    if (!valued) {
      unswitchable.add(new Api.Note(s.id, "declaration", IDLE));
    }
    return out;
  }

  /** Whether the initial value is a literal: giving it changes nothing outside. */
  private static boolean idle(VariableDeclarator v) {
    Expression e = v.getInitializer().get();
    return e.isNullLiteralExpr() || Literals.only(e);
  }

  private static Use.Local local(Stmt s, VariableDeclarator v) {
    return s.declares().stream().filter(l -> l.name.equals(v.getNameAsString())).findFirst().orElse(null);
  }

  /** "T x; if (on) { x = value; } else { x = zero; }": assigned exactly once, so lambdas may capture it. */
  private List<String> choice(String declared, String name, List<String> value, int k, String zero) {
    List<String> out = new ArrayList<>();
    out.add(declared + ";");
    out.add("if (" + SWITCH + k + ")) {");
    out.addAll(Indent.deeper(assign(name, value), unit));
    out.addAll(Arrays.asList("} else {", unit + name + " = " + zero + ";", "}"));
    return out;
  }

  private static List<String> assign(String left, List<String> value) {
    return assign(left + " = ", value, ";");
  }

  private static List<String> assign(String before, List<String> value, String behind) {
    List<String> out = new ArrayList<>(value);
    out.set(0, before + out.get(0));
    int last = out.size() - 1;
    out.set(last, out.get(last) + behind);
    return out;
  }

  private List<String> value(Stmt s, VariableDeclarator v) {
    Expression e = v.getInitializer().get();
    List<String> lines = lines(s, e, mover.edits(s));
    if (e.isArrayInitializerExpr()) {
      lines.set(0, "new " + elementType(s, v) + dims(v) + " " + lines.get(0));
    }
    return lines;
  }

  // Everything else.

  private List<String> switched(int k, List<String> lines) {
    List<String> out = new ArrayList<>();
    out.add("if (" + SWITCH + k + ")) {");
    out.addAll(Indent.deeper(lines, unit));
    out.add("}");
    return out;
  }

  private List<String> plain(Stmt s) {
    if (s.form == Stmt.Form.EXPECTED) {
      return guard(s);
    }
    Edits edits = mover.edits(s);
    keep.left(s).forEach(gone -> Removal.cut(s.source(), gone, edits));
    List<String> lines = lines(s, s.node, edits);
    lines.set(lines.size() - 1, lines.get(lines.size() - 1) + s.behind());
    return lines;
  }

  private List<String> lines(Stmt s, Node n, Edits edits) {
    String text = edits.apply(s.source().text, s.source().start(n), s.source().end(n));
    Set<Integer> verbatim = Indent.verbatim(n);
    String base = s.source().indent(s.start);
    return new ArrayList<>(Indent.lines(text, base, Indent.unit(s.source()), unit, verbatim));
  }

  /** The expected exception of the helper is expected here too (paper, section 3.2). */
  private List<String> guard(Stmt s) {
    List<String> out = new ArrayList<>();
    out.add("try {");
    Set<Stmt> gone = new HashSet<>(keep.left(s));
    for (Stmt i : s.inner) {
      if (!gone.contains(i)) {
        out.addAll(Indent.deeper(plain(i), unit));
      }
    }
    String type = s.expectedAt < 0 ? s.expected
        : mover.edits(s).apply(s.source().text, s.expectedAt, s.expectedAt + s.expected.length());
    out.addAll(Arrays.asList("} catch (" + type + " expected) {", unit + "// as the helper test expects", "}"));
    return out;
  }

  private static <T> List<T> list(T one) {
    return new ArrayList<>(Collections.singletonList(one));
  }

}
