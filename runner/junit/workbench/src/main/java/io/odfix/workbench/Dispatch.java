package io.odfix.workbench;

import com.github.javaparser.ast.body.MethodDeclaration;
import java.util.HashSet;
import java.util.Set;

/**
 * Finds out whether a method that two classes inherit does the same on instances of both: a class
 * may override the method, or one that it calls.
 */
final class Dispatch {
  private final Types types;
  private final TypeInfo a;
  private final TypeInfo b;
  private final Set<String> visited = new HashSet<>();

  private Dispatch(Types types, TypeInfo a, TypeInfo b) {
    this.types = types;
    this.a = a;
    this.b = b;
  }

  /**
   * The name of a method that the call reaches and that differs between the classes, or null. Methods
   * without source are not followed.
   */
  static String differs(Types types, TypeInfo a, TypeInfo b, NameUse call) {
    return new Dispatch(types, a, b).differs(call.member);
  }

  private String differs(TypeInfo.Member called) {
    if (called.isStatic() || called.isPrivate() || !visited.add(called.name + "/" + called.params)) {
      return null;
    }
    Types.Found inA = types.method(a, called.name, called.params);
    Types.Found inB = types.method(b, called.name, called.params);
    if (inA == null || inB == null) {
      return null;
    }
    if (!inA.owner.binary.equals(inB.owner.binary)) {
      return called.name;
    }
    if (inA.owner.declaration == null) {
      return null;
    }
    for (MethodDeclaration m : inA.owner.declaration.getMethodsByName(called.name)) {
      for (NameUse u : NameWalker.walk(new Lexical(types, inA.owner.source, inA.owner), m)) {
        String other = u.kind == NameUse.Kind.METHOD && u.member != null ? differs(u.member) : null;
        if (other != null) {
          return other;
        }
      }
    }
    return null;
  }
}
