package io.odfix.workbench;

import com.github.javaparser.ast.Node;
import com.github.javaparser.ast.body.BodyDeclaration;
import com.github.javaparser.ast.body.TypeDeclaration;
import com.github.javaparser.ast.expr.TextBlockLiteralExpr;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** How a file indents, and text moved from one indentation to another. */
final class Indent {
  private Indent() {}

  /** One level of indentation as the file writes it, by the members of its classes. */
  static String unit(Source s) {
    for (TypeDeclaration<?> t : s.unit.getTypes()) {
      String unit = unit(s, t);
      if (unit != null) {
        return unit;
      }
    }
    return "    ";
  }

  /** The level that one class uses, which may differ from others in the file. */
  static String unit(TypeInfo t) {
    String unit = unit(t.source, t.declaration);
    return unit != null ? unit : unit(t.source);
  }

  private static String unit(Source s, TypeDeclaration<?> t) {
    String outer = s.indent(s.start(t));
    for (BodyDeclaration<?> m : t.getMembers()) {
      String inner = s.indent(s.start(m));
      if (s.firstOnLine(s.start(m)) && inner.length() > outer.length() && inner.startsWith(outer)) {
        return inner.substring(outer.length());
      }
    }
    return null;
  }

  /**
   * The lines of a text without their common indentation. Lines inside a text block are marked by
   * {@link #VERBATIM}, because their white space is content.
   */
  static List<String> lines(String text, String base, String unit, String wanted, Set<Integer> verbatim) {
    List<String> out = new ArrayList<>();
    String[] raw = text.split("\r\n|\r|\n", -1);
    for (int i = 0; i < raw.length; i++) {
      if (i == 0) {
        out.add(raw[i]);
      } else if (verbatim.contains(i)) {
        out.add(VERBATIM + raw[i]);
      } else {
        out.add(relative(raw[i], base, unit, wanted));
      }
    }
    return out;
  }

  static final String VERBATIM = "\0";

  private static String relative(String line, String base, String unit, String wanted) {
    if (line.trim().isEmpty()) {
      return "";
    }
    String rest = line.startsWith(base) ? line.substring(base.length()) : line.replaceAll("^[ \t]+", "");
    if (unit.equals(wanted)) {
      return rest;
    }
    int at = 0;
    StringBuilder out = new StringBuilder();
    while (rest.startsWith(unit, at)) {
      out.append(wanted);
      at += unit.length();
    }
    return out.append(rest.substring(at)).toString();
  }

  /** The lines of a node, counted from its first, whose beginning lies inside a text block. */
  static Set<Integer> verbatim(Node n) {
    Set<Integer> out = new HashSet<>();
    int first = n.getRange().get().begin.line;
    for (TextBlockLiteralExpr t : n.findAll(TextBlockLiteralExpr.class)) {
      for (int l = t.getRange().get().begin.line + 1; l <= t.getRange().get().end.line; l++) {
        out.add(l - first);
      }
    }
    return out;
  }

  static List<String> deeper(List<String> lines, String unit) {
    List<String> out = new ArrayList<>();
    for (String l : lines) {
      out.add(l.isEmpty() || l.startsWith(VERBATIM) ? l : unit + l);
    }
    return out;
  }

  /** The lines at an indentation, each with its line end. */
  static String block(List<String> lines, String indent, String eol) {
    StringBuilder out = new StringBuilder();
    for (String l : lines) {
      if (l.startsWith(VERBATIM)) {
        out.append(l, VERBATIM.length(), l.length());
      } else if (!l.isEmpty()) {
        out.append(indent).append(l);
      }
      out.append(eol);
    }
    return out.toString();
  }
}
