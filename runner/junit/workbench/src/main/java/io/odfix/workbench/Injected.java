package io.odfix.workbench;

import com.github.javaparser.ast.Node;
import com.github.javaparser.ast.body.BodyDeclaration;
import com.github.javaparser.ast.body.FieldDeclaration;
import com.github.javaparser.ast.body.VariableDeclarator;
import com.github.javaparser.ast.expr.AnnotationExpr;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;

/**
 * Fields that a container fills (Spring, Jakarta EE, Guice, Quarkus). Moved code cannot create
 * their values, but the target's class can be given the same ones: it may have such a field
 * already, and it can get one where the container fills fields of that class anyway.
 */
final class Injected {
  private static final String[] BY = {"Autowired", "Inject", "Resource", "Value", "PersistenceContext",
      "PersistenceUnit", "EJB", "LocalServerPort", "MockBean", "SpyBean", "MockitoBean", "MockitoSpyBean", "InjectMock",
      "InjectSpy"};

  /** Those that change how a whole class is run. They are added to no other class. */
  private static final String[] REPLACING = {"MockBean", "SpyBean", "MockitoBean", "MockitoSpyBean", "InjectMock",
      "InjectSpy"};
  /** Annotations that do not affect how a class is run. */
  private static final String[] REMARKS = {"SuppressWarnings", "Deprecated", "DisplayName", "Tag", "Tags", "Category",
      "Ignore", "Disabled", "TestMethodOrder", "FixMethodOrder", "Generated"};

  private Injected() {}

  /** Whether a container gives the field its value. */
  static boolean is(ScriptStatement field) {
    return field.form == ScriptStatement.Form.FIELD && field.annotated(BY) && !field.variable().getInitializer().isPresent()
        && !field.lexical.self.fields.get(field.variable().getNameAsString()).isStatic();
  }

  /**
   * The name of a field of the target's class that gets the same value, or null. If several fields
   * of either class are of the same kind, the name decides.
   */
  static String sameField(ScriptStatement field, Target target) {
    String own = field.variable().getNameAsString();
    List<String> there = fieldsOfKind(kind(field), target.lexical.types, target.lexical.self);
    there.removeIf(n -> {
      Types.Found f = target.lexical.field(n);
      return f == null || !target.shares(f.owner, f.member);
    });
    if (there.contains(own)) {
      return own;
    }
    boolean one = there.size() == 1 && fieldsOfKind(kind(field), field.lexical.types, field.lexical.self).size() == 1;
    return one ? there.get(0) : null;
  }

  /** The fields that a class has or inherits with this request, without hidden ones. */
  private static List<String> fieldsOfKind(String kind, Types types, TypeInfo t) {
    List<String> out = new ArrayList<>();
    for (TypeInfo c : types.sourceChain(t)) {
      Lexical here = new Lexical(types, c.source, c);
      for (FieldDeclaration f : fields(c)) {
        for (VariableDeclarator v : f.getVariables()) {
          String name = v.getNameAsString();
          boolean nearest = types.field(t, name).owner.binary.equals(c.binary);
          if (nearest && Lifecycle.has(f, BY) && kind(here, f, v).equals(kind)) {
            out.add(name);
          }
        }
      }
    }
    return out;
  }

  /** Whether a container fills two helpers' fields with the same value. */
  static boolean alike(ScriptStatement a, ScriptStatement b) {
    return a.variable().getNameAsString().equals(b.variable().getNameAsString()) && kind(a).equals(kind(b));
  }

  private static String kind(ScriptStatement field) {
    return kind(field.lexical, declaration(field), field.variable());
  }

  /**
   * Whether a field of this kind can be added to the place's class: the same annotation fills one
   * of its fields, or the two classes are run with the same annotations.
   */
  static boolean fits(ScriptStatement field, Target target) {
    if (Lifecycle.has(declaration(field), REPLACING)) {
      return false;
    }
    List<String> by = new ArrayList<>(Arrays.asList(BY));
    by.removeIf(a -> !Lifecycle.has(declaration(field), a));
    for (TypeInfo c : target.lexical.types.sourceChain(target.lexical.self)) {
      for (FieldDeclaration f : fields(c)) {
        if (Lifecycle.has(f, by.toArray(new String[0]))) {
          return true;
        }
      }
    }
    TreeSet<String> theirs = run(target.lexical.types, target.lexical.self);
    return !theirs.isEmpty() && theirs.equals(run(target.lexical.types, field.lexical.self));
  }

  /** The annotations that affect how a class and its superclasses are run. */
  private static TreeSet<String> run(Types types, TypeInfo t) {
    TreeSet<String> out = new TreeSet<>();
    for (TypeInfo c : types.sourceChain(t)) {
      Lexical around = new Lexical(types, c.source, c.outer == null ? null : types.find(c.outer));
      for (AnnotationExpr a : c.declaration.getAnnotations()) {
        if (!Arrays.asList(REMARKS).contains(a.getName().getIdentifier())) {
          out.add(resolved(around, a, a));
        }
      }
    }
    return out;
  }

  /**
   * The request of the field: its annotations and type with resolved names, and its own name if
   * that selects the value.
   */
  private static String kind(Lexical at, FieldDeclaration f, VariableDeclarator v) {
    TreeSet<String> parts = new TreeSet<>();
    for (AnnotationExpr a : f.getAnnotations()) {
      boolean byName = a.getName().getIdentifier().equals("Resource") && a.isMarkerAnnotationExpr();
      parts.add(resolved(at, a, a) + (byName ? " " + v.getNameAsString() : ""));
    }
    return parts + " " + resolved(at, f, v.getType());
  }

  /** The text of a part of a node with simple names of classes in full and no white space. */
  private static String resolved(Lexical at, Node whole, Node part) {
    Edits edits = new Edits();
    int start = at.source.start(part);
    int end = at.source.end(part);
    for (NameUse u : ScriptBuilder.within(NameWalker.walk(at, whole), start, end)) {
      if (u.kind == NameUse.Kind.TYPE && u.type != null) {
        edits.replace(u.start, u.end, u.type.binary);
      }
    }
    return edits.apply(at.source.text, start, end).replaceAll("\\s+", "");
  }

  private static List<FieldDeclaration> fields(TypeInfo c) {
    List<FieldDeclaration> out = new ArrayList<>();
    for (BodyDeclaration<?> m : c.declaration.getMembers()) {
      if (m instanceof FieldDeclaration) {
        out.add((FieldDeclaration) m);
      }
    }
    return out;
  }

  static FieldDeclaration declaration(ScriptStatement field) {
    return (FieldDeclaration) field.variable().getParentNode().get();
  }

  /** The lines of a new field that asks for the same, its names made right by the mover. */
  static List<String> lines(ScriptStatement field, Mover mover, String type) {
    List<String> out = new ArrayList<>();
    if (Made.isField(field)) {
      Source s = field.source();
      Node value = field.variable().getInitializer().get();
      out.add("private " + (mover.target.ofClass ? "static " : "") + "final " + type + " " + mover.nameOf(field) + " = "
          + mover.edits(field).apply(s.text, s.start(value), s.end(value)) + ";");
      return out;
    }
    if (mover.target.ofClass) {
      throw new Problem("injected", "a container gives " + mover.nameOf(field) + " to instances of the class only");
    }
    for (AnnotationExpr a : declaration(field).getAnnotations()) {
      Source s = field.source();
      String text = mover.edits(field, NameWalker.walk(field.lexical, a)).apply(s.text, s.start(a), s.end(a));
      String unit = Indent.unit(s);
      out.addAll(Indent.lines(text, s.indent(s.start(a)), unit, unit, Indent.verbatim(a)));
    }
    out.add("private " + type + " " + mover.nameOf(field) + ";");
    return out;
  }
}
