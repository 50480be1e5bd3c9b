package io.odfix.workbench;

import com.github.javaparser.ast.NodeList;
import com.github.javaparser.ast.body.MethodDeclaration;
import com.github.javaparser.ast.stmt.BlockStmt;
import com.github.javaparser.ast.stmt.ReturnStmt;
import com.github.javaparser.ast.stmt.Statement;
import com.github.javaparser.ast.stmt.ThrowStmt;
import com.github.javaparser.ast.type.ReferenceType;
import java.util.ArrayList;
import java.util.List;

/** Puts lines into the body of an existing method, whatever its layout. */
final class Body {
  private final Source source;
  private final MethodDeclaration method;
  private final BlockStmt block;
  private final String unit;
  private final int open;
  private final int close;

  Body(TypeInfo type, MethodDeclaration method) {
    this.source = type.source;
    this.method = method;
    this.block = method.getBody().orElseThrow(
        () -> new Problem("no-body", "method " + method.getNameAsString() + " has no body"));
    this.unit = Indent.unit(type);
    this.open = source.start(block);
    this.close = source.end(block) - 1;
  }

  private String methodIndent() {
    return source.indent(source.start(method));
  }

  private String indent() {
    for (Statement s : block.getStatements()) {
      if (source.firstOnLine(source.start(s))) {
        return source.indent(source.start(s));
      }
    }
    return methodIndent() + unit;
  }

  /** Whether the braces are placed so that whole lines can go between them. */
  private boolean open() {
    int from = open + 1;
    String rest = source.text.substring(from, source.nextLine(open)).trim();
    boolean alone = rest.isEmpty() || rest.startsWith("//") || (rest.startsWith("/*") && rest.endsWith("*/"));
    return alone && source.firstOnLine(close) && source.line(open) != source.line(close);
  }

  /** Puts lines before the first statement, or after it if it calls the superclass's method. */
  void first(Edits edits, List<String> lines) {
    if (!open()) {
      expand(edits, lines, true);
      return;
    }
    NodeList<Statement> all = block.getStatements();
    boolean afterSuper = !all.isEmpty() && isSuper(all.get(0));
    int at = afterSuper ? source.nextLine(source.end(all.get(0))) : source.nextLine(open);
    edits.insert(at, Indent.block(lines, indent(), source.eol));
  }

  /** Puts lines after the last statement, or before a final "super.tearDown();". */
  void last(Edits edits, List<String> lines) {
    if (!open()) {
      expand(edits, lines, false);
      return;
    }
    NodeList<Statement> all = block.getStatements();
    Statement end = all.isEmpty() ? null : all.get(all.size() - 1);
    boolean before = end != null && (end instanceof ReturnStmt
        || (isSuper(end) && method.getNameAsString().equals("tearDown"))) && source.firstOnLine(source.start(end));
    int at = before ? source.lineStart(start(end)) : source.lineStart(close);
    edits.insert(at, Indent.block(lines, indent(), source.eol));
  }

  private int start(Statement s) {
    return s.getComment().map(source::start).orElse(source.start(s));
  }

  private static boolean isSuper(Statement s) {
    return s.isExpressionStmt() && s.asExpressionStmt().getExpression().isMethodCallExpr()
        && s.asExpressionStmt().getExpression().asMethodCallExpr().getScope().filter(x -> x.isSuperExpr()).isPresent();
  }

  private void expand(Edits edits, List<String> lines, boolean before) {
    String inside = source.text.substring(open + 1, close).trim();
    String eol = source.eol;
    String own = inside.isEmpty() ? "" : indent() + inside + eol;
    String moved = Indent.block(lines, indent(), eol);
    edits.replace(open + 1, close, eol + (before ? moved + own : own + moved) + methodIndent());
  }

  /**
   * Whether the body may return before its end, so that only a finally block certainly runs. A call
   * that might throw does not count, because a polluter passes and therefore reaches its end.
   */
  boolean mayLeaveEarly() {
    NodeList<Statement> all = block.getStatements();
    boolean thrown = !all.isEmpty() && all.get(all.size() - 1) instanceof ThrowStmt;
    boolean expects = Lifecycle.expects(method);
    return thrown || expects || CompoundStatements.leaves(block, ReturnStmt.class);
  }

  /** try { body } finally { lines }: indents the body by one level. */
  void inFinally(Edits edits, List<String> lines) {
    String eol = source.eol;
    String inner = indent();
    List<String> out = new ArrayList<>();
    out.add("try {");
    String content = source.text.substring(open + 1, close);
    java.util.Set<Integer> verbatim = Indent.verbatim(block);
    String[] raw = content.split("\r\n|\r|\n", -1);
    for (int i = 0; i < raw.length; i++) {
      boolean edge = (i == 0 || i == raw.length - 1) && raw[i].trim().isEmpty();
      if (edge) {
        continue;
      }
      if (verbatim.contains(i)) {
        out.add(Indent.VERBATIM + raw[i]);
      } else {
        String line = raw[i].startsWith(inner) ? raw[i].substring(inner.length()) : raw[i].trim();
        out.add(line.isEmpty() ? "" : unit + line);
      }
    }
    out.add("} finally {");
    out.addAll(Indent.deeper(lines, unit));
    out.add("}");
    edits.replace(open + 1, close, eol + Indent.block(out, inner, eol) + methodIndent());
  }

  /** Adds exceptions to the method's declaration. */
  void declare(Edits edits, List<String> types) {
    List<String> missing = new ArrayList<>();
    for (String t : types) {
      String simple = t.substring(t.lastIndexOf('.') + 1);
      boolean covered = false;
      for (ReferenceType r : method.getThrownExceptions()) {
        String name = r.asString().substring(r.asString().lastIndexOf('.') + 1);
        covered |= name.equals(simple) || name.equals("Exception") || name.equals("Throwable");
      }
      if (!covered) {
        missing.add(t);
      }
    }
    if (missing.isEmpty()) {
      return;
    }
    NodeList<ReferenceType> declared = method.getThrownExceptions();
    if (!declared.isEmpty()) {
      edits.insert(source.end(declared.get(declared.size() - 1)), ", " + String.join(", ", missing));
    } else {
      edits.insert(afterParameters(), " throws " + String.join(", ", missing));
    }
  }

  private int afterParameters() {
    int from = method.getParameters().isEmpty() ? source.end(method.getName())
        : source.end(method.getParameters().get(method.getParameters().size() - 1));
    return source.text.indexOf(')', from) + 1;
  }
}
