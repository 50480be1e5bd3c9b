package io.odfix.workbench;

import com.github.javaparser.ast.body.BodyDeclaration;
import com.github.javaparser.ast.body.FieldDeclaration;
import com.github.javaparser.ast.body.VariableDeclarator;
import com.github.javaparser.ast.expr.AnnotationExpr;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Fields that a container fills (Spring, Jakarta EE, Guice, Quarkus): moved code cannot make their
 * values, but the class it moves to may be given the same ones. It is where it has a field that asks
 * for the same thing, and it can be asked to where the container fills fields of that class anyway.
 */
final class Injected {
  private static final String[] BY = {"Autowired", "Inject", "Resource", "Value", "PersistenceContext",
      "PersistenceUnit", "EJB", "LocalServerPort", "MockBean", "SpyBean", "MockitoBean", "MockitoSpyBean", "InjectMock",
      "InjectSpy"};

  private Injected() {}

  /** Whether a container gives the field its value. */
  static boolean is(Stmt field) {
    return field.form == Stmt.Form.FIELD && field.annotated(BY) && !field.variable().getInitializer().isPresent()
        && !field.lexical.self.fields.get(field.variable().getNameAsString()).isStatic();
  }

  /** The name of a field that the place has and that is filled with the same, or null. */
  static String twin(Stmt field, Target target) {
    String wanted = kind(field.lexical, declaration(field), field.variable());
    String found = null;
    for (TypeInfo c : target.lexical.types.sourceChain(target.lexical.self)) {
      Lexical here = new Lexical(target.lexical.types, c.source, c);
      for (FieldDeclaration f : fields(c)) {
        for (VariableDeclarator v : f.getVariables()) {
          String name = v.getNameAsString();
          boolean fits = Lifecycle.has(f, BY) && target.shares(c, c.fields.get(name)) && kind(here, f, v).equals(wanted);
          if (fits && (found == null || name.equals(field.variable().getNameAsString()))) {
            found = name;
          }
        }
      }
    }
    return found;
  }

  /**
   * Whether a field of this kind can be added to the place's class: some field of it is filled by the
   * same annotation, or the two classes are run in the same way.
   */
  static boolean fits(Stmt field, Target target) {
    List<AnnotationExpr> by = declaration(field).getAnnotations();
    for (TypeInfo c : target.lexical.types.sourceChain(target.lexical.self)) {
      for (FieldDeclaration f : fields(c)) {
        if (by.stream().anyMatch(a -> Lifecycle.has(f, BY) && Lifecycle.has(f, a.getName().getIdentifier()))) {
          return true;
        }
      }
    }
    TreeSet<String> theirs = run(target.lexical.types, target.lexical.self);
    return !theirs.isEmpty() && theirs.equals(run(target.lexical.types, field.lexical.self));
  }

  /** The annotations that say how a class and its superclasses are run. */
  private static TreeSet<String> run(Types types, TypeInfo t) {
    TreeSet<String> out = new TreeSet<>();
    for (TypeInfo c : types.sourceChain(t)) {
      for (AnnotationExpr a : c.declaration.getAnnotations()) {
        out.add(a.toString());
      }
    }
    return out;
  }

  /** What the field asks for: annotations and type, names resolved; with its own name where that selects. */
  private static String kind(Lexical at, FieldDeclaration f, VariableDeclarator v) {
    TreeSet<String> parts = new TreeSet<>();
    for (AnnotationExpr a : f.getAnnotations()) {
      boolean byName = a.getName().getIdentifier().equals("Resource") && a.isMarkerAnnotationExpr();
      parts.add(a.toString() + (byName ? " " + v.getNameAsString() : ""));
    }
    Edits edits = new Edits();
    int start = at.source.start(v.getType());
    int end = at.source.end(v.getType());
    for (Use u : ScriptBuilder.within(NameWalker.walk(at, f), start, end)) {
      if (u.kind == Use.Kind.TYPE && u.type != null) {
        edits.replace(u.start, u.end, u.type.binary);
      }
    }
    return parts + " " + edits.apply(at.source.text, start, end).replaceAll("\\s+", "");
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

  static FieldDeclaration declaration(Stmt field) {
    return (FieldDeclaration) field.variable().getParentNode().get();
  }

  /** The lines of a new field that asks for the same, its names made right by the mover. */
  static List<String> lines(Stmt field, Mover mover, String type) {
    List<String> out = new ArrayList<>();
    for (AnnotationExpr a : declaration(field).getAnnotations()) {
      Edits edits = mover.edits(field, NameWalker.walk(field.lexical, a));
      out.add(edits.apply(field.source().text, field.source().start(a), field.source().end(a)));
    }
    out.add("private " + type + " " + mover.nameOf(field) + ";");
    return out;
  }
}
