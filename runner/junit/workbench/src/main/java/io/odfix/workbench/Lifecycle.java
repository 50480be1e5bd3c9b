package io.odfix.workbench;

import com.github.javaparser.ast.body.BodyDeclaration;
import com.github.javaparser.ast.body.MethodDeclaration;
import com.github.javaparser.ast.body.TypeDeclaration;
import com.github.javaparser.ast.expr.AnnotationExpr;
import com.github.javaparser.ast.nodeTypes.NodeWithAnnotations;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which methods a test framework runs around a test, and in which order. */
final class Lifecycle {
  /** The frameworks whose sources are edited. */
  enum Framework { JUNIT3, JUNIT4, JUPITER }

  private final Types types;
  private final Map<String, Boolean> junit3 = new HashMap<>();

  Lifecycle(Types types) {
    this.types = types;
  }

  static boolean has(NodeWithAnnotations<?> n, String... simple) {
    for (AnnotationExpr a : n.getAnnotations()) {
      if (Arrays.asList(simple).contains(a.getName().getIdentifier())) {
        return true;
      }
    }
    return false;
  }

  static AnnotationExpr annotation(NodeWithAnnotations<?> n, String simple) {
    return n.getAnnotations().stream().filter(a -> a.getName().getIdentifier().equals(simple)).findFirst()
        .orElse(null);
  }

  /** Whether the test passes only if its method throws an exception (JUnit 4's expected). */
  static boolean expects(MethodDeclaration m) {
    AnnotationExpr test = annotation(m, "Test");
    return test != null && test.isNormalAnnotationExpr()
        && test.asNormalAnnotationExpr().getPairs().stream().anyMatch(p -> p.getNameAsString().equals("expected"));
  }

  /**
   * JUnit 4 and its vintage engine run any TestCase as JUnit 3 does, whatever its annotations,
   * unless it has a runner of its own.
   */
  boolean isJUnit3(TypeInfo t) {
    return junit3.computeIfAbsent(t.binary, b -> types.inherits(t, "junit.framework.TestCase")
        && types.sourceChain(t).stream().noneMatch(x -> has(x.declaration, "RunWith")));
  }

  /** The role of a method by annotation or, in JUnit 3, by name; null for any other method. */
  Role role(TypeInfo t, MethodDeclaration m) {
    if (isJUnit3(t)) {
      return byName(m);
    }
    if (has(m, "BeforeClass", "BeforeAll")) {
      return Role.CLASS_SETUP;
    }
    if (has(m, "Before", "BeforeEach")) {
      return Role.SETUP;
    }
    if (has(m, "After", "AfterEach")) {
      return Role.TEARDOWN;
    }
    if (has(m, "AfterClass", "AfterAll")) {
      return Role.CLASS_TEARDOWN;
    }
    if (has(m, "Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Theory")) {
      return Role.BODY;
    }
    return null;
  }

  private static Role byName(MethodDeclaration m) {
    String name = m.getNameAsString();
    if (!m.getParameters().isEmpty()) {
      return null;
    }
    if (name.equals("setUp")) {
      return Role.SETUP;
    }
    if (name.equals("tearDown")) {
      return Role.TEARDOWN;
    }
    return name.startsWith("test") && m.isPublic() && m.getType().isVoidType() ? Role.BODY : null;
  }

  /** The framework a class is written for, by its parents, its annotations and its imports. */
  Framework framework(TypeInfo t) {
    if (isJUnit3(t)) {
      return Framework.JUNIT3;
    }
    for (TypeInfo x : types.sourceChain(t)) {
      for (MethodDeclaration m : x.declaration.getMethods()) {
        if (has(m, "BeforeEach", "AfterEach", "BeforeAll", "AfterAll", "ParameterizedTest", "RepeatedTest",
            "TestFactory", "TestTemplate")) {
          return Framework.JUPITER;
        }
        if (has(m, "Test", "Before", "After", "BeforeClass", "AfterClass")) {
          AnnotationExpr test = annotation(m, "Test");
          TypeInfo a = test == null ? null : new Lexical(types, x.source, x).type(test.getNameAsString());
          boolean jupiter = a != null ? a.binary.startsWith("org.junit.jupiter")
              : imports(x.source, "org.junit.jupiter");
          return jupiter ? Framework.JUPITER : Framework.JUNIT4;
        }
      }
    }
    return t.source != null && imports(t.source, "org.junit.jupiter") ? Framework.JUPITER : Framework.JUNIT4;
  }

  static boolean imports(Source s, String prefix) {
    return s.unit.getImports().stream().anyMatch(i -> i.getNameAsString().startsWith(prefix));
  }

  /** The classes whose members make up an instance, in the order in which they are initialised. */
  List<TypeInfo> ancestry(TypeInfo t) {
    List<TypeInfo> out = new ArrayList<>();
    if (t.outer != null && !t.isStatic) {
      TypeInfo outer = types.find(t.outer);
      if (outer != null && outer.declaration != null) {
        out.addAll(ancestry(outer));
      }
    }
    List<TypeInfo> chain = types.sourceChain(t);
    Collections.reverse(chain);
    out.addAll(chain);
    return out;
  }

  /** A method of a role and the class that declares it. */
  static final class Step {
    final TypeInfo owner;
    final MethodDeclaration method;

    Step(TypeInfo owner, MethodDeclaration method) {
      this.owner = owner;
      this.method = method;
    }
  }

  /**
   * The methods of one role in the order in which the framework calls them: setups from the
   * superclass down, teardowns back up; an overridden method does not run.
   */
  List<Step> steps(TypeInfo t, Role role) {
    boolean up = role == Role.TEARDOWN || role == Role.CLASS_TEARDOWN;
    List<TypeInfo> classes = ancestry(t);
    List<Step> out = new ArrayList<>();
    Set<String> taken = new HashSet<>();
    Collections.reverse(classes);
    for (TypeInfo c : classes) {
      List<Step> own = new ArrayList<>();
      for (MethodDeclaration m : sorted(c)) {
        boolean overridden = !m.isPrivate() && taken.contains(m.getNameAsString());
        if (role == role(t, m) && !overridden && m.getBody().isPresent()) {
          own.add(new Step(c, m));
        }
      }
      c.declaration.getMethods().forEach(m -> taken.add(m.getNameAsString()));
      if (!up && framework(t) == Framework.JUNIT4) {
        Collections.reverse(own); // JUnit 4 collects setups bottom up within a class, too
      }
      out.addAll(up ? out.size() : 0, own);
    }
    return out;
  }

  /** JUnit 4.11 and Jupiter both order methods by the hash of their names. */
  private static List<MethodDeclaration> sorted(TypeInfo c) {
    List<MethodDeclaration> all = new ArrayList<>();
    for (BodyDeclaration<?> m : ((TypeDeclaration<?>) c.declaration).getMembers()) {
      if (m instanceof MethodDeclaration) {
        all.add((MethodDeclaration) m);
      }
    }
    all.sort(Comparator.comparingInt((MethodDeclaration m) -> m.getNameAsString().hashCode()));
    return all;
  }

  /** The test's method, inherited ones too. */
  Step test(TypeInfo t, TestId id) {
    for (TypeInfo x : types.sourceChain(t)) {
      Step any = null;
      for (MethodDeclaration m : x.declaration.getMethodsByName(id.method)) {
        Step s = new Step(x, m);
        if (m.getParameters().size() == id.params || (id.params < 0 && role(t, m) == Role.BODY)) {
          return s;
        }
        any = any == null ? s : any;
      }
      if (any != null) {
        return any;
      }
    }
    throw new Problem("no-method", "class " + t.canonical() + " has no method " + id.method
        + " in its sources; is it generated, or inherited from a class outside the test source roots?");
  }
}
