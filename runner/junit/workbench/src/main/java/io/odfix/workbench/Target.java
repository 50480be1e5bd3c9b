package io.odfix.workbench;

import com.github.javaparser.ast.body.MethodDeclaration;
import com.github.javaparser.ast.body.Parameter;
import com.github.javaparser.ast.body.VariableDeclarator;
import com.github.javaparser.ast.expr.NameExpr;
import com.github.javaparser.ast.stmt.Statement;
import java.util.HashSet;
import java.util.Set;

/** The scope into which statements are moved: a class, and the method that will hold them. */
final class Target {
  final Lexical lexical;
  /** Names of variables that are visible at the target. */
  final Set<String> visible = new HashSet<>();
  /** Every variable name in the method, visible or not. */
  final Set<String> taken = new HashSet<>();

  /** Whether the method belongs to the class and not to its instances. */
  boolean ofClass;

  /** method is null if it is new. atEnd: the statements follow the method's own. */
  Target(Lexical lexical, MethodDeclaration method, boolean atEnd) {
    this.lexical = lexical;
    if (method == null) {
      return;
    }
    for (Parameter p : method.getParameters()) {
      visible.add(p.getNameAsString());
    }
    taken.addAll(visible);
    method.findAll(VariableDeclarator.class).forEach(v -> taken.add(v.getNameAsString()));
    method.findAll(NameExpr.class).forEach(n -> taken.add(n.getNameAsString()));
    method.findAll(Parameter.class).forEach(p -> taken.add(p.getNameAsString()));
    if (atEnd && method.getBody().isPresent()) {
      for (Statement s : method.getBody().get().getStatements()) {
        if (Declarations.declaration(s) != null) {
          Declarations.declaration(s).getVariables().forEach(v -> visible.add(v.getNameAsString()));
        }
      }
    }
  }

  /** Whether code here can use a member of the class through its own instance, unqualified. */
  boolean shares(TypeInfo owner, TypeInfo.Member m) {
    if (ofClass && !m.isStatic()) {
      return false;
    }
    for (TypeInfo c : lexical.enclosing()) {
      if (c.binary.equals(owner.binary)) {
        return true;
      }
      boolean inheritable = !m.isPrivate() && (c.pkg().equals(owner.pkg())
          || (m.flags & (java.lang.reflect.Modifier.PUBLIC | java.lang.reflect.Modifier.PROTECTED)) != 0);
      if (inheritable && lexical.types.inherits(c, owner.binary)) {
        return true;
      }
      if (c.isStatic && !m.isStatic()) {
        return false; // a static nested class has no instance of the class around it
      }
    }
    return false;
  }

  /** Whether code here runs on an instance of that class. */
  boolean isInstanceOf(TypeInfo owner) {
    return heir(owner) != null;
  }

  /** The class on whose instance code here uses members of that class, or null. */
  TypeInfo heir(TypeInfo owner) {
    if (ofClass) {
      return null;
    }
    for (TypeInfo c : lexical.enclosing()) {
      if (lexical.types.inherits(c, owner.binary)) {
        return c;
      }
      if (c.isStatic) {
        return null;
      }
    }
    return null;
  }

  /** Whether a member can be named from here at all, qualified. */
  boolean reaches(TypeInfo owner, TypeInfo.Member m) {
    if (m.isPrivate()) {
      return owner.top().equals(lexical.self.top());
    }
    return (m.flags & java.lang.reflect.Modifier.PUBLIC) != 0 || owner.pkg().equals(lexical.pkg())
        || lexical.types.inherits(lexical.self, owner.binary);
  }
}
