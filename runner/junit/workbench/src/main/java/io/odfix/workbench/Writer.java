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

/** Writes kept statements as lines for their new place, with or without a switch around each. */
final class Writer {
  private static final String IDLE = "a declaration that does nothing by itself";
  private static final String SWITCH = "io.odfix.harness.Switch.on(";
  private static final String THREW = "io.odfix.harness.Switch.threw(odfixThrew);";

  private final Mover mover;
  private final String unit;
  private final KeptStatements keep;
  /** Statements written as lines so far, by statement. */
  final Map<ScriptStatement, List<String>> written = new LinkedHashMap<>();
  final List<Api.Note> unswitchable = new ArrayList<>();
  final List<Api.Note> problems = new ArrayList<>();

  Writer(Mover mover, String unit, KeptStatements keep) {
    this.mover = mover;
    this.unit = unit;
    this.keep = keep;
  }

  List<String> write(List<ScriptStatement> kept) {
    List<String> out = new ArrayList<>();
    mover.plan(kept);
    Folding folding = new Folding(kept, keep, mover);
    for (int i = 0; i < kept.size(); i++) {
      ScriptStatement s = kept.get(i);
      try {
        if (folding.folds(s)) {
          mover.fold(s, folding.variable(s), folding.value(s));
          continue;
        }
        List<String> lines = one(s, kept, i);
        if (!lines.isEmpty()) {
          UnicodeEscapes.refuse(lines);
          written.put(s, lines);
          out.addAll(lines);
        }
      } catch (Problem p) {
        problems.add(new Api.Note(s.id, p.code, "`" + shortened(s) + "` " + p.getMessage()));
      }
    }
    return out;
  }

  /** The fields that are added to the place's class, each with its lines. */
  List<List<String>> newFields() {
    List<List<String>> out = new ArrayList<>();
    mover.newFields.forEach(f -> out.add(Injected.lines(f, mover, type(f))));
    out.forEach(UnicodeEscapes::refuse);
    return out;
  }

  static String shortened(ScriptStatement s) {
    String text = s.text().replaceAll("\\s+", " ");
    return text.length() <= 80 ? text : text.substring(0, 77) + "...";
  }

  private List<String> one(ScriptStatement s, List<ScriptStatement> kept, int at) {
    Integer k = keep.index(s);
    if (s.form == ScriptStatement.Form.FIELD) {
      return field(s, k, kept, at);
    }
    if (mover.onlyConstructs(s)) {
      return Collections.emptyList();
    }
    VariableDeclarationExpr d = s.node == null ? null : Declarations.declaration(s.node);
    if (d != null) {
      return k != null ? declaration(s, d, k, kept) : onlyActs(s, d, kept) ? action(s, d.getVariable(0).getInitializer().get()) : plain(s);
    }
    ScriptStatement merged = mergedField(s, kept, keep, mover);
    if (merged != null) {
      List<String> lines = plain(s);
      lines.set(0, type(merged) + " " + lines.get(0).replaceFirst("^this\\.", ""));
      return lines;
    }
    if (k == null) {
      return plain(s);
    }
    if (s.node != null && Declarations.isLocalType(s.node)) {
      unswitchable.add(new Api.Note(s.id, "type", "a local class; declaring it does nothing"));
      return plain(s);
    }
    ScriptStatement only = onlyAssignment(s, kept);
    return only != null ? assignment(s, k, zeroOf(s, only)) : switched(k, Made.is(s.lexical.self) ? harmless(plain(s)) : plain(s));
  }

  /** Whether only the call matters: no kept statement uses the variable that gets its result. */
  private static boolean onlyActs(ScriptStatement s, VariableDeclarationExpr d, List<ScriptStatement> kept) {
    Expression value = d.getVariables().size() == 1 ? d.getVariable(0).getInitializer().orElse(null) : null;
    boolean stands = value != null && (value.isMethodCallExpr() || value.isObjectCreationExpr());
    return stands && s.declares().stream().noneMatch(
        l -> kept.stream().anyMatch(o -> o != s && o.uses.stream().anyMatch(u -> uses(o, u, l))));
  }

  /** The value alone, as a statement. The variable's type need not be imported. */
  private List<String> action(ScriptStatement s, Expression value) {
    int from = s.source().start(value);
    return assign("", lines(s, value, mover.edits(s, ScriptBuilder.within(s.uses, from, s.source().end(value)))), ";");
  }

  // Fields that become locals.

  private List<String> field(ScriptStatement s, Integer k, List<ScriptStatement> kept, int at) {
    if (mover.usedInPlace(s)) {
      return Collections.emptyList();
    }
    VariableDeclarator v = s.variable();
    String name = mover.nameOf(s);
    String declared = type(s) + " " + name;
    if (!v.getInitializer().isPresent()) {
      ScriptStatement first = firstUser(s, kept, at);
      if (k == null && first != null && assigns(first, s, keep)) {
        return Collections.emptyList(); // declared at the assignment of its value
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

  private String type(ScriptStatement field) {
    VariableDeclarator v = field.variable();
    return elementType(field, v) + dims(v);
  }

  private String elementType(ScriptStatement s, VariableDeclarator v) {
    Node t = v.getType().getElementType();
    return mover.edits(s).apply(s.source().text, s.source().start(t), s.source().end(t));
  }

  private static String dims(VariableDeclarator v) {
    return String.join("", Collections.nCopies(v.getType().getArrayLevel(), "[]"));
  }

  private static ScriptStatement firstUser(ScriptStatement field, List<ScriptStatement> kept, int at) {
    for (ScriptStatement s : kept.subList(at + 1, kept.size())) {
      if (s.uses.stream().anyMatch(u -> uses(s, u, Mover.key(field)))) {
        return s;
      }
    }
    return null;
  }

  static boolean uses(ScriptStatement s, NameUse u, Object key) {
    if (u.kind == NameUse.Kind.FIELD) {
      return (s.helper + "|" + StatementNeeds.key(u)).equals(key);
    }
    return u.kind == NameUse.Kind.LOCAL && u.local == key;
  }

  private static boolean assigns(ScriptStatement s, ScriptStatement field, KeptStatements keep) {
    return s.form == ScriptStatement.Form.PLAIN && keep.index(s) == null && s == topAssignment(Mover.key(field), list(s));
  }

  /** The field that the statement assigns first, so that both become one declaration. */
  static ScriptStatement mergedField(ScriptStatement s, List<ScriptStatement> kept, KeptStatements keep, Mover mover) {
    if (keep.index(s) != null || s.node == null || Declarations.assignment(s.node) == null) {
      return null;
    }
    for (int i = 0; i < kept.size(); i++) {
      ScriptStatement f = kept.get(i);
      boolean lifts = f.form == ScriptStatement.Form.FIELD && !f.variable().getInitializer().isPresent()
          && keep.index(f) == null && !mover.usedInPlace(f);
      if (lifts && firstUser(f, kept, i) == s && assigns(s, f, keep)) {
        return f;
      }
    }
    return null;
  }

  // Assignments that must stay the only ones, so that lambdas may capture the variable.

  private static int assignments(Object key, List<ScriptStatement> kept) {
    int n = 0;
    for (ScriptStatement s : kept) {
      n += (int) s.uses.stream().filter(u -> u.write && uses(s, u, key)).count();
    }
    return n;
  }

  private static ScriptStatement topAssignment(Object key, List<ScriptStatement> kept) {
    for (ScriptStatement s : kept) {
      AssignExpr a = s.node == null ? null : Declarations.assignment(s.node);
      if (a != null && s.uses.stream().anyMatch(
          u -> u.write && uses(s, u, key) && u.end <= s.source().end(a.getTarget()))) {
        return s;
      }
    }
    return null;
  }

  /** The uninitialised declaration whose only value this statement assigns, or null. */
  private ScriptStatement onlyAssignment(ScriptStatement s, List<ScriptStatement> kept) {
    AssignExpr a = s.node == null ? null : Declarations.assignment(s.node);
    if (a == null) {
      return null;
    }
    for (ScriptStatement d : kept) {
      for (Object key : keysOf(d)) {
        if (topAssignment(key, list(s)) == s && assignments(key, kept) == 1) {
          return d;
        }
      }
    }
    return null;
  }

  private List<Object> keysOf(ScriptStatement d) {
    List<Object> keys = new ArrayList<>();
    if (d.form == ScriptStatement.Form.FIELD) {
      if (!d.variable().getInitializer().isPresent() && !mover.usedInPlace(d)) {
        keys.add(Mover.key(d));
      }
      return keys;
    }
    VariableDeclarationExpr e = d.node == null ? null : Declarations.declaration(d.node);
    if (e != null) {
      for (NameUse.Local l : d.declares()) {
        e.getVariables().stream()
            .filter(v -> v.getNameAsString().equals(l.name) && !v.getInitializer().isPresent())
            .forEach(v -> keys.add(l));
      }
    }
    return keys;
  }

  private String zeroOf(ScriptStatement s, ScriptStatement declaration) {
    if (declaration.form == ScriptStatement.Form.FIELD) {
      return Literals.zero(declaration.variable().getType());
    }
    for (VariableDeclarator v : Declarations.declaration(declaration.node).getVariables()) {
      if (s.uses.stream().anyMatch(u -> u.write && u.name.equals(v.getNameAsString()))) {
        return Literals.zero(v.getType());
      }
    }
    return "null";
  }

  private List<String> assignment(ScriptStatement s, int k, String zero) {
    AssignExpr a = Declarations.assignment(s.node);
    String name = mover.edits(s).apply(s.source().text, s.source().start(a.getTarget()), s.source().end(a.getTarget()));
    List<String> out = new ArrayList<>();
    out.add("if (" + SWITCH + k + ")) {");
    out.addAll(Indent.deeper(plain(s), unit));
    out.addAll(Arrays.asList("} else {", unit + name + " = " + zero + ";", "}"));
    return out;
  }

  // Declarations.

  private List<String> declaration(ScriptStatement s, VariableDeclarationExpr d, int k, List<ScriptStatement> kept) {
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
        NameUse.Local l = local(s, v);
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

  /** Whether the initial value is a literal, so that the assignment changes nothing else. */
  private static boolean idle(VariableDeclarator v) {
    Expression e = v.getInitializer().get();
    return e.isNullLiteralExpr() || Literals.only(e);
  }

  private static NameUse.Local local(ScriptStatement s, VariableDeclarator v) {
    return s.declares().stream().filter(l -> l.name.equals(v.getNameAsString())).findFirst().orElse(null);
  }

  /**
   * "T x; if (on) { x = value; } else { x = zero; }": assigned exactly once, so lambdas may capture
   * it.
   */
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

  private static List<String> assign(String before, List<String> value, String after) {
    List<String> out = new ArrayList<>(value);
    out.set(0, before + out.get(0));
    int last = out.size() - 1;
    out.set(last, out.get(last) + after);
    return out;
  }

  private List<String> value(ScriptStatement s, VariableDeclarator v) {
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

  /** If several statements are on, one that throws must not keep the others from running. */
  private List<String> harmless(List<String> lines) {
    List<String> out = new ArrayList<>();
    out.add("try {");
    out.addAll(Indent.deeper(lines, unit));
    out.addAll(Arrays.asList("} catch (Throwable odfixThrew) {", unit + THREW, "}"));
    return out;
  }

  private List<String> plain(ScriptStatement s) {
    if (s.form == ScriptStatement.Form.EXPECTED) {
      return guard(s);
    }
    Edits edits = mover.edits(s);
    keep.left(s).forEach(gone -> Removal.cut(s.source(), gone, edits));
    List<String> lines = lines(s, s.node, edits);
    lines.set(lines.size() - 1, lines.get(lines.size() - 1) + s.suffix());
    return lines;
  }

  private List<String> lines(ScriptStatement s, Node n, Edits edits) {
    String text = edits.apply(s.source().text, s.source().start(n), s.source().end(n));
    Set<Integer> verbatim = Indent.verbatim(n);
    String base = s.source().indent(s.start);
    return new ArrayList<>(Indent.lines(text, base, Indent.unit(s.source()), unit, verbatim));
  }

  /** The statement also expects the helper's expected exception (iFixFlakies, section 3.2). */
  private List<String> guard(ScriptStatement s) {
    List<String> out = new ArrayList<>();
    out.add("try {");
    Set<ScriptStatement> gone = new HashSet<>(keep.left(s));
    for (ScriptStatement i : s.inner) {
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
