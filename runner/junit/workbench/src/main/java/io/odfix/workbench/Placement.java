package io.odfix.workbench;

import com.github.javaparser.ast.body.MethodDeclaration;
import com.github.javaparser.ast.expr.Expression;
import com.github.javaparser.ast.expr.MethodCallExpr;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The place of a patch: the start or end of an existing method, or of a new setup or teardown. */
final class Placement {
  static final String VICTIM_START = "victim-start";
  static final String VICTIM_SETUP = "victim-setup";
  static final String VICTIM_SETUP_START = "victim-setup-start";
  static final String POLLUTER_TEARDOWN = "polluter-teardown";
  static final String POLLUTER_CLASS_TEARDOWN = "polluter-class-teardown";
  static final String POLLUTER_END = "polluter-end";

  private final Types types;
  private final Lifecycle lifecycle;
  private final Api.Place place;
  /** Whether the language level of the sources has annotations. */
  private final boolean annotations;
  final TypeInfo type;
  final Lexical lexical;
  /** Null if the method is new. */
  private MethodDeclaration method;
  /** Before the method's own statements. */
  private boolean first;
  final Lifecycle.Framework framework;

  Placement(Types types, Api.Place place, boolean annotations) {
    if (place == null || place.kind == null) {
      throw new Problem("no-place", "no place was given for the statements");
    }
    this.types = types;
    this.place = place;
    this.annotations = annotations;
    this.lifecycle = new Lifecycle(types);
    TestId id = TestId.parse(place.test);
    this.type = place.declaring ? declaring(types, place) : types.editable(id.type);
    this.lexical = new Lexical(types, type.source, type);
    this.framework = lifecycle.framework(type);
    this.first = place.kind.equals(VICTIM_START) || place.kind.equals(VICTIM_SETUP_START);
    this.method = find(id);
    if (place.declaring && lifecycle.framework(types.editable(id.type)) != framework) {
      throw notThere("another framework runs the tests of the class itself");
    }
  }

  /** Why the statements cannot be in the class that declares the test. */
  private Problem notThere(String why) {
    return new Problem("declaring", "the statements do not fit in " + type.simple() + ": " + why);
  }

  /**
   * Refuses the class that declares the test if the test's own class, or one between, replaces the
   * method there. name is that of a new method.
   */
  private void checkRuns(String name) {
    if (!place.declaring) {
      return;
    }
    TypeInfo own = types.editable(TestId.parse(place.test).type);
    boolean runs = name == null ? lifecycle.steps(own, role()).stream().anyMatch(s -> s.method == method)
        : types.sourceChain(own).stream().filter(t -> t != type && types.inherits(t, type.binary))
            .noneMatch(t -> !t.declaration.getMethodsByName(name).isEmpty());
    if (!runs) {
      throw notThere(own.simple() + " overrides " + (name == null ? method.getNameAsString() : name));
    }
  }

  /**
   * Whether a statement depends on the test's own class: it uses a member of a subclass, or a field
   * of the instance, which the setup of a subclass may assign.
   */
  boolean needsOwn(NameUse u) {
    if (!place.declaring) {
      return false;
    }
    boolean below = isBelow(u.owner) || isBelow(u.type);
    boolean field = u.kind == NameUse.Kind.FIELD && !u.isStatic() || u.kind == NameUse.Kind.UNKNOWN && types.field(type, u.name) != null;
    return below || field;
  }

  private boolean isBelow(TypeInfo t) {
    for (TypeInfo x = t; x != null; x = x.outer == null ? null : types.find(x.outer)) {
      if (x != type && types.inherits(x, type.binary)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Whether the place is the setup or teardown of a class that inherits the test from one in the
   * test sources.
   */
  static boolean inherits(Types types, Api.Place place) {
    return place != null && place.kind != null && (place.kind.equals(VICTIM_SETUP) || place.kind.endsWith("-teardown"))
        && declaring(types, place) != types.editable(TestId.parse(place.test).type);
  }

  /** The class that declares the test: all classes that inherit the test need what it needs. */
  private static TypeInfo declaring(Types types, Api.Place place) {
    TestId id = TestId.parse(place.test);
    TypeInfo own = types.editable(id.type);
    try {
      return new Lifecycle(types).test(own, id).owner;
    } catch (Problem p) {
      return own; // no source declares it
    }
  }

  /** The class as a scope, whatever the method. */
  Target scope() {
    return inScope(new Target(lexical, null, false));
  }

  private Target inScope(Target t) {
    t.ofClass = once();
    return t;
  }

  /**
   * Chooses among several setups or teardowns. Statements that use fields go after the setup that
   * gives them their values, and before the teardown that clears them, or closes a field: they may need
   * what it closes. All others are appended: they then run after other setup code, directly before the test.
   */
  void choose(List<ScriptStatement> kept) {
    Set<String> fields = new HashSet<>();
    Target scope = scope();
    for (ScriptStatement s : kept) {
      s.uses.stream().filter(u -> u.kind == NameUse.Kind.FIELD && u.isStatic() == once() && scope.shares(u.owner, u.member))
          .forEach(u -> fields.add(u.name));
      s.uses.stream().filter(u -> u.kind == NameUse.Kind.UNKNOWN && ofPlace(u.name)).forEach(u -> fields.add(u.name));
    }
    if (!around() || fields.isEmpty()) {
      return;
    }
    boolean found = false;
    for (MethodDeclaration m : candidates()) {
      boolean writes = NameWalker.walk(lexical, m).stream()
          .anyMatch(u -> u.kind == NameUse.Kind.FIELD && u.write && fields.contains(u.name));
      boolean ends = role() != Role.SETUP && !found && closes(m);
      if (writes || ends) {
        method = m;
        first = role() != Role.SETUP;
        found = true;
      }
    }
  }

  /** Whether a method closes what a field of the class holds. */
  private boolean closes(MethodDeclaration m) {
    List<NameUse> uses = NameWalker.walk(lexical, m);
    return m.findAll(MethodCallExpr.class).stream().anyMatch(c -> c.getNameAsString().matches("close|shutdown(Now)?|stop|destroy|disconnect|dispose|quit")
        && c.getScope().filter(on -> uses.stream().anyMatch(u -> u.kind == NameUse.Kind.FIELD && u.end == type.source.end(on))).isPresent());
  }

  /**
   * Whether a name that statements use, and that no source declares, is a field of the class's
   * instances, or of the class if the statements run once for it.
   */
  private boolean ofPlace(String name) {
    return type.fields.containsKey(name) && java.lang.reflect.Modifier.isStatic(type.fields.get(name).flags) == once();
  }

  private boolean around() {
    return place.kind.equals(VICTIM_SETUP) || place.kind.equals(POLLUTER_TEARDOWN) || once();
  }

  /** Whether the statements run once for all tests of the class. */
  private boolean once() {
    return place.kind.equals(POLLUTER_CLASS_TEARDOWN);
  }

  private Role role() {
    return place.kind.startsWith(VICTIM_SETUP) ? Role.SETUP : once() ? Role.CLASS_TEARDOWN : Role.TEARDOWN;
  }

  private MethodDeclaration find(TestId id) {
    if ((first || place.kind.equals(VICTIM_SETUP)) && setupExpects()) {
      throw new Problem("expects", "a setup of " + type.simple() + " expects an exception of each test, so a statement before the "
          + "test that throws it would make the test pass");
    }
    switch (place.kind) {
      case VICTIM_START:
      case POLLUTER_END:
        Lifecycle.Step s = lifecycle.test(type, id);
        if (!s.owner.binary.equals(type.binary)) {
          throw new Problem("inherited", id.method + " is declared in " + s.owner.simple() + ", which other classes "
              + "share; use " + (place.kind.equals(VICTIM_START) ? VICTIM_SETUP : POLLUTER_TEARDOWN) + " of "
              + type.simple() + " instead");
        }
        if (place.kind.equals(VICTIM_START) && Lifecycle.expects(s.method)) {
          throw new Problem("expects", id.method + " expects an exception, so a statement at its start that throws it "
              + "would make the test pass; use " + VICTIM_SETUP + " of " + type.simple() + " instead");
        }
        return s.method;
      case POLLUTER_CLASS_TEARDOWN:
        if (framework == Lifecycle.Framework.JUNIT3 || !setsUpOnce()) {
          throw new Problem("no-class-setup", type.simple() + " sets nothing up once for all its tests");
        }
        return lastOfRole();
      case VICTIM_SETUP:
      case POLLUTER_TEARDOWN:
        return lastOfRole();
      case VICTIM_SETUP_START:
        return firstSetup();
      default:
        throw new Problem("no-place", "unknown place \"" + place.kind + "\"");
    }
  }

  /** Whether a setup tells JUnit 4's rule ExpectedException what to expect. The rule holds for setups, too. */
  private boolean setupExpects() {
    return lifecycle.steps(type, Role.SETUP).stream().anyMatch(s -> s.method.findAll(MethodCallExpr.class).stream()
        .anyMatch(c -> c.getNameAsString().startsWith("expect") && c.getScope().filter(r -> isExpectation(s.owner, r)).isPresent()));
  }

  private static boolean isExpectation(TypeInfo owner, Expression rule) {
    String name = rule.isFieldAccessExpr() ? rule.asFieldAccessExpr().getNameAsString() : rule.toString();
    return owner.declaration.getFieldByName(name).filter(f -> f.getVariable(0).getTypeAsString().endsWith("ExpectedException"))
        .isPresent();
  }

  /** Whether the class or a superclass, but no class around it, sets something up once for its tests. */
  private boolean setsUpOnce() {
    return lifecycle.steps(type, Role.CLASS_SETUP).stream().anyMatch(s -> types.inherits(type, s.owner.binary));
  }

  /** The class's own setup that runs first. A new one could run after others. */
  private MethodDeclaration firstSetup() {
    return lifecycle.steps(type, Role.SETUP).stream().filter(s -> s.owner == type && candidates().contains(s.method)).map(s -> s.method)
        .findFirst().orElseThrow(() -> new Problem("no-setup", type.simple() + " has no setup of its own"));
  }

  private MethodDeclaration lastOfRole() {
    List<MethodDeclaration> all = candidates();
    return all.isEmpty() ? null : all.get(all.size() - 1);
  }

  /** The methods of the role that the class itself declares. */
  private List<MethodDeclaration> candidates() {
    List<MethodDeclaration> out = new ArrayList<>();
    for (MethodDeclaration m : type.declaration.getMethods()) {
      if (lifecycle.role(type, m) == role() && m.getBody().isPresent() && m.isStatic() == once()) {
        out.add(m);
      }
    }
    return out;
  }

  Target target() {
    return inScope(new Target(lexical, method, !first));
  }

  /** The method at the place; null if it is new. */
  String into() {
    return method == null ? null : method.getNameAsString();
  }

  /** Inserts the lines and returns the name of their method. */
  String insert(FileEdit file, List<String> lines, List<String> exceptions) {
    if (method == null) {
      return create(file, lines, exceptions);
    }
    checkRuns(null);
    if (place.declaring && !exceptions.isEmpty()) {
      throw notThere("a class that overrides " + method.getNameAsString() + " would have to declare exceptions");
    }
    Body body = new Body(type, method);
    if (first) {
      body.first(file.edits, lines);
    } else if (place.kind.equals(POLLUTER_END) && body.mayLeaveEarly()) {
      body.inFinally(file.edits, lines);
    } else {
      body.last(file.edits, lines);
    }
    body.declare(file.edits, exceptions);
    return method.getNameAsString();
  }

  private String create(FileEdit file, List<String> lines, List<String> exceptions) {
    if (Lifecycle.imports(type.source, "org.testng")) {
      throw new Problem("framework", type.canonical() + " is written for TestNG: odfix makes no setups for it");
    }
    NewMethod fresh = new NewMethod(types, type);
    boolean setup = role() == Role.SETUP;
    if (framework == Lifecycle.Framework.JUNIT3) {
      String name = setup ? "setUp" : "tearDown";
      checkRuns(name);
      List<String> body = new ArrayList<>(lines);
      body.add(setup ? 0 : body.size(), "super." + name + "();");
      fresh.insert(file.edits, role(), annotations ? "@Override" : "", "protected void " + name + "()",
          Collections.singletonList("Exception"), body);
      return name;
    }
    boolean jupiter = framework == Lifecycle.Framework.JUPITER;
    String annotation = (jupiter ? "org.junit.jupiter.api." : "org.junit.") + (setup ? "Before" : "After")
        + (once() ? jupiter ? "All" : "Class" : jupiter ? "Each" : "");
    TypeInfo a = types.find(annotation);
    a = a != null ? a : new TypeInfo(annotation, java.lang.reflect.Modifier.PUBLIC);
    String name = fresh.freeName(file, setup ? "prepareSharedState" : "cleanUpSharedState");
    checkRuns(name);
    String visibility = !jupiter || fresh.publicTests() ? "public " : "";
    fresh.insert(file.edits, role(), "@" + file.imports.reference(lexical, a, false), visibility + (once() ? "static " : "") + "void " + name + "()",
        exceptions, lines);
    return name;
  }
}
