package io.odfix.workbench;

import com.github.javaparser.ast.Node;
import com.github.javaparser.ast.body.FieldDeclaration;
import com.github.javaparser.ast.body.VariableDeclarator;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * One statement of a helper's script: a statement of the source, a field's declaration, or a new
 * guard around several statements.
 */
final class ScriptStatement {
  /** The origin of a statement's text. */
  enum Form {
    /** A statement as it is in the source. */
    PLAIN,
    /** A field of the helper's class, to become a local variable elsewhere. */
    FIELD,
    /** An expression that becomes a statement: a lambda's body, an assertion's argument. */
    EXPRESSION,
    /** A call of an inherited setup. */
    CALL,
    /**
     * A try around the inner statements that catches the test's expected exception (iFixFlakies,
     * section 3.2).
     */
    EXPECTED
  }

  String id;
  final Form form;
  final Role role;
  final Node node;
  final Lexical lexical;
  final String helper;
  int start;
  int end;
  List<NameUse> uses = new ArrayList<>();
  final List<ScriptStatement> inner = new ArrayList<>();
  ScriptStatement parent;
  final Set<ScriptStatement> needs = new LinkedHashSet<>();
  /** Needed only where the place does not share the helper's instance. */
  final Set<ScriptStatement> needsState = new LinkedHashSet<>();
  boolean assertion;
  /** Contains a return that would leave the method at the place. */
  boolean returns;
  /** The exception that an EXPECTED guard catches, as written in the source. */
  String expected;
  int expectedAt = -1;

  ScriptStatement(Form form, Role role, Node node, Lexical lexical, String helper) {
    this.form = form;
    this.role = role;
    this.node = node;
    this.lexical = lexical;
    this.helper = helper;
    if (node != null) {
      start = lexical.source.start(node);
      end = lexical.source.end(node);
    }
  }

  Source source() {
    return lexical.source;
  }

  String text() {
    if (form == Form.FIELD) {
      return source().text(variable().getType()) + " " + source().text.substring(start, end) + ";";
    }
    if (form == Form.EXPECTED) {
      return "try { … } catch (" + expected + " expected) {}";
    }
    return source().text.substring(start, end) + suffix();
  }

  /** Makes a statement from its text. */
  String suffix() {
    return form == Form.EXPRESSION ? ";" : form == Form.CALL ? "();" : "";
  }

  VariableDeclarator variable() {
    return (VariableDeclarator) node;
  }

  /** Whether a field has one of the annotations; "" means any. */
  boolean annotated(String... simple) {
    Node d = node.getParentNode().orElse(null);
    if (!(d instanceof FieldDeclaration)) {
      return false;
    }
    FieldDeclaration f = (FieldDeclaration) d;
    return simple[0].isEmpty() ? !f.getAnnotations().isEmpty() : Lifecycle.has(f, simple);
  }

  /** The locals that stay visible after the statement. */
  List<NameUse.Local> declares() {
    List<NameUse.Local> out = new ArrayList<>();
    if (form == Form.PLAIN && Declarations.isDeclaration(node)) {
      for (NameUse u : uses) {
        if (u.kind == NameUse.Kind.DECLARES && Declarations.declares(node, u, source())) {
          out.add(u.local);
        }
      }
    }
    return out;
  }

  boolean contains(int offset) {
    return offset >= start && offset < end;
  }

  void add(ScriptStatement s) {
    s.parent = this;
    inner.add(s);
  }

  /** Itself and everything below, in source order. */
  void walk(java.util.function.Consumer<ScriptStatement> f) {
    f.accept(this);
    inner.forEach(s -> s.walk(f));
  }
}
