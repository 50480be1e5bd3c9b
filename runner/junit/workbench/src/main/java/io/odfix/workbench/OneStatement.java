package io.odfix.workbench;

import com.github.javaparser.JavaParser;
import com.github.javaparser.ParseResult;
import com.github.javaparser.ParserConfiguration;
import com.github.javaparser.ast.body.BodyDeclaration;
import com.github.javaparser.ast.body.FieldDeclaration;
import com.github.javaparser.ast.stmt.IfStmt;
import com.github.javaparser.ast.stmt.Statement;
import java.util.Collection;

/**
 * Checks that a text that claims to be one statement, or one field, is exactly that. Texts of
 * statements are joined from names and values that come from the project.
 */
final class OneStatement {
  private final JavaParser parser =
      new JavaParser(new ParserConfiguration().setLanguageLevel(ParserConfiguration.LanguageLevel.RAW));

  /** Removes the candidates with a text that is not one statement, or one field. */
  void filter(Collection<Api.Reset> candidates) {
    candidates.removeIf(c -> !is(c));
  }

  private boolean is(Api.Reset r) {
    return r.fields.stream().allMatch(this::isField) && r.lead.stream().allMatch(this::isStatement) && isStatement(r.statement);
  }

  /** Whether it is one expression or local variable as a statement, which may be the body of an if. */
  boolean isStatement(String text) {
    Statement s = plain(text) ? only(parser.parseStatement(text)) : null;
    return s != null && simple(s);
  }

  private static boolean simple(Statement s) {
    if (!s.isIfStmt()) {
      return s.isExpressionStmt();
    }
    IfStmt i = s.asIfStmt();
    Statement then = i.getThenStmt();
    boolean one = then.isBlockStmt() && then.asBlockStmt().getStatements().size() == 1;
    return !i.hasElseBranch() && (one ? then.asBlockStmt().getStatement(0) : then).isExpressionStmt();
  }

  /** Whether it is the type, the name and the value of one field, without modifiers. */
  boolean isField(String text) {
    BodyDeclaration<?> d = plain(text) ? only(parser.parseBodyDeclaration("final " + text + ";")) : null;
    if (!(d instanceof FieldDeclaration)) {
      return false;
    }
    FieldDeclaration f = (FieldDeclaration) d;
    return f.getModifiers().size() == 1 && f.getAnnotations().isEmpty() && f.getVariables().size() == 1
        && f.getVariable(0).getInitializer().isPresent();
  }

  /** Whether the parser here and javac read the text alike. */
  private static boolean plain(String text) {
    return text != null && UnicodeEscapes.areHarmless(text);
  }

  /** The whole result; null if there is none, or the text has a comment. */
  private static <T> T only(ParseResult<T> r) {
    boolean comment = r.getCommentsCollection().filter(c -> c.size() > 0).isPresent();
    return r.isSuccessful() && !comment ? r.getResult().orElse(null) : null;
  }
}
