package io.odfix.workbench;

import com.github.javaparser.ast.Node;
import com.github.javaparser.ast.body.BodyDeclaration;
import com.github.javaparser.ast.body.FieldDeclaration;
import com.github.javaparser.ast.body.MethodDeclaration;
import com.github.javaparser.ast.body.TypeDeclaration;
import com.github.javaparser.ast.comments.Comment;
import java.util.ArrayList;
import java.util.List;

/** Makes a new method in a class, in the style of its neighbours. */
final class NewMethod {
  private final Types types;
  private final TypeInfo type;
  private final Source source;
  private final TypeDeclaration<?> declaration;
  private final String unit;

  NewMethod(Types types, TypeInfo type) {
    this.types = types;
    this.type = type;
    this.source = type.source;
    this.declaration = type.declaration;
    this.unit = Indent.unit(type);
  }

  /**
   * A method name that neither the class nor its superclasses and enclosing classes use. An
   * accidental override would disable the other method.
   */
  String freeName(FileEdit file, String wanted) {
    String name = wanted;
    for (int i = 2; exists(name) || file.methods.contains(name); i++) {
      name = wanted + i;
    }
    file.methods.add(name);
    return name;
  }

  private boolean exists(String name) {
    for (TypeInfo t = type; t != null; t = t.outer == null ? null : types.find(t.outer)) {
      if (types.method(t, name, 0) != null) {
        return true;
      }
    }
    return false;
  }

  String indent() {
    for (BodyDeclaration<?> m : declaration.getMembers()) {
      if (source.firstOnLine(source.start(m))) {
        return source.indent(source.start(m));
      }
    }
    return source.indent(source.start(declaration)) + unit;
  }

  /** Whether most test methods of the class are public, as JUnit 4 requires. */
  boolean publicTests() {
    int open = 0;
    int closed = 0;
    for (MethodDeclaration m : declaration.getMethods()) {
      if (Lifecycle.has(m, "Test", "ParameterizedTest", "BeforeEach", "AfterEach", "BeforeAll", "AfterAll")) {
        if (m.isPublic()) {
          open++;
        } else {
          closed++;
        }
      }
    }
    return open > closed;
  }

  /** Inserts the method. The annotation may be ""; the head is without its "throws" clause. */
  void insert(Edits edits, Role role, String annotation, String head, List<String> exceptions, List<String> body) {
    List<String> lines = new ArrayList<>();
    String signature = head + (exceptions.isEmpty() ? "" : " throws " + String.join(", ", exceptions));
    if (!annotation.isEmpty() && annotationsBeside()) {
      signature = annotation + " " + signature;
    } else if (!annotation.isEmpty()) {
      lines.add(annotation);
    }
    if (bracesBelow()) {
      lines.add(signature);
      lines.add("{");
    } else {
      lines.add(signature + " {");
    }
    lines.addAll(Indent.deeper(body, unit));
    lines.add("}");
    place(edits, role, Indent.block(lines, indent(), source.eol));
  }

  /** Inserts a field after the last field of the class, else before all members. */
  void field(Edits edits, List<String> lines) {
    FieldDeclaration last = null;
    for (BodyDeclaration<?> m : declaration.getMembers()) {
      last = m instanceof FieldDeclaration ? (FieldDeclaration) m : last;
    }
    String text = Indent.block(lines, indent(), source.eol);
    if (last != null) {
      insertAfter(edits, last, text);
      return;
    }
    if (declaration.getMembers().isEmpty()) {
      atEnd(edits, text + source.eol);
      return;
    }
    insertBefore(edits, declaration.getMember(0), text);
  }

  private void insertBefore(Edits edits, BodyDeclaration<?> member, String text) {
    int at = above(member);
    if (source.firstOnLine(at)) {
      edits.insert(source.lineStart(at), text + source.eol);
      return;
    }
    while (source.text.charAt(at - 1) == ' ') {
      at--;
    }
    edits.insert(at, source.eol + text + source.eol);
  }

  /**
   * If a member begins, including all comments directly above it. The parser attaches only the
   * last of these comments to the member.
   */
  private int above(BodyDeclaration<?> member) {
    int at = member.getComment().map(source::start).orElse(source.start(member));
    List<Comment> others = declaration.getOrphanComments();
    for (int i = others.size() - 1; i >= 0; i--) {
      int start = source.start(others.get(i));
      boolean touches = start < at && source.line(source.end(others.get(i)) - 1) >= source.line(at) - 1;
      at = touches && source.firstOnLine(start) ? start : at;
    }
    return at;
  }

  private void atEnd(Edits edits, String text) {
    int close = source.end(declaration) - 1;
    boolean ownLine = source.firstOnLine(close);
    edits.insert(ownLine ? source.lineStart(close) : close, (ownLine ? "" : source.eol) + text);
  }

  private MethodDeclaration sample() {
    return declaration.getMethods().stream().filter(m -> m.getBody().isPresent()).findFirst().orElse(null);
  }

  private boolean annotationsBeside() {
    MethodDeclaration m = sample();
    return m != null && !m.getAnnotations().isEmpty()
        && source.line(source.start(m)) == source.line(source.start(m.getName()));
  }

  private boolean bracesBelow() {
    MethodDeclaration m = sample();
    return m != null && source.firstOnLine(source.start(m.getBody().get()));
  }

  /**
   * Inserts a method. A lifecycle method goes after the last one of its kind or of a kind that runs
   * earlier. If there is none, it goes before the first method.
   */
  private void place(Edits edits, Role role, String text) {
    Lifecycle lifecycle = new Lifecycle(types);
    MethodDeclaration after = null;
    MethodDeclaration first = null;
    for (MethodDeclaration m : declaration.getMethods()) {
      Role r = lifecycle.role(type, m);
      first = first == null ? m : first;
      if (role != null && r != null && r != Role.BODY && r.ordinal() <= role.ordinal()) {
        after = m;
      }
      if (role == null) {
        after = m;
      }
    }
    if (after != null) {
      insertAfter(edits, after, text);
    } else if (first != null) {
      insertBefore(edits, first, text);
    } else if (!declaration.getMembers().isEmpty()) {
      insertAfter(edits, declaration.getMembers().get(declaration.getMembers().size() - 1), text);
    } else {
      atEnd(edits, text);
    }
  }

  private void insertAfter(Edits edits, Node member, String text) {
    int end = source.end(member);
    String rest = source.text.substring(end, source.nextLine(end)).trim();
    boolean remark = rest.startsWith("//") || (rest.startsWith("/*") && rest.indexOf("*/") == rest.length() - 2);
    boolean lastOnLine = rest.isEmpty() || remark;
    if (lastOnLine && source.nextLine(end) > end) {
      edits.insert(source.nextLine(end), source.eol + text);
    } else {
      edits.insert(end, source.eol + source.eol + text);
    }
  }
}
