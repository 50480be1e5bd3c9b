package io.odfix.workbench;

import com.github.javaparser.ast.Modifier;
import com.github.javaparser.ast.Node;
import com.github.javaparser.ast.NodeList;
import com.github.javaparser.ast.body.BodyDeclaration;
import com.github.javaparser.ast.body.ClassOrInterfaceDeclaration;
import com.github.javaparser.ast.body.FieldDeclaration;
import com.github.javaparser.ast.body.MethodDeclaration;
import com.github.javaparser.ast.body.Parameter;
import com.github.javaparser.ast.body.TypeDeclaration;
import com.github.javaparser.ast.body.VariableDeclarator;
import com.github.javaparser.ast.expr.AnnotationExpr;
import com.github.javaparser.ast.expr.AssignExpr;
import com.github.javaparser.ast.expr.Expression;
import com.github.javaparser.ast.expr.FieldAccessExpr;
import com.github.javaparser.ast.expr.MethodCallExpr;
import com.github.javaparser.ast.expr.MethodReferenceExpr;
import com.github.javaparser.ast.expr.ObjectCreationExpr;
import com.github.javaparser.ast.expr.StringLiteralExpr;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Makes static fields of a test class instance fields, so that every test has its own value and no
 * other test sees it. Static members that use such a field become instance members, too. A setup of
 * the whole class thus becomes a setup of every test.
 */
final class Unsharing {
  /** A member of the class or of a class inside it, and the names it uses. */
  private static final class Member {
    final TypeInfo owner;
    final BodyDeclaration<?> node;
    final List<NameUse> uses;

    Member(TypeInfo owner, BodyDeclaration<?> node, List<NameUse> uses) {
      this.owner = owner;
      this.node = node;
      this.uses = uses;
    }

    boolean isStatic() {
      boolean method = node instanceof MethodDeclaration && ((MethodDeclaration) node).isStatic();
      boolean field = node instanceof FieldDeclaration && ((FieldDeclaration) node).isStatic();
      return method || field || node.isInitializerDeclaration() && node.asInitializerDeclaration().isStatic();
    }

    /** The name by which other members use it; "" for a member without a name. */
    String name() {
      if (node instanceof FieldDeclaration) {
        return ((FieldDeclaration) node).getVariable(0).getNameAsString();
      }
      return node instanceof MethodDeclaration ? ((MethodDeclaration) node).getNameAsString() : "";
    }

    NameUse.Kind kind() {
      return node instanceof FieldDeclaration ? NameUse.Kind.FIELD : NameUse.Kind.METHOD;
    }
  }

  /** After the name of a class with one instance for all its tests: what it sets up for all is set up for each. */
  private static final String SETUP = ".@BeforeAll";

  private final Types types;
  private final Lifecycle lifecycle;
  private final TypeInfo home;
  private final Source source;
  private final FileEdit file;
  private final PerTest perTest;
  private final List<Member> members = new ArrayList<>();
  private final Set<Member> changed = new LinkedHashSet<>();
  private final Deque<Member> open = new ArrayDeque<>();
  private final Api.Rendered out = new Api.Rendered();

  private Unsharing(Types types, TypeInfo home) {
    this.types = types;
    this.lifecycle = new Lifecycle(types);
    this.home = home;
    this.source = home.source;
    this.file = new FileEdit(source);
    this.perTest = new PerTest(new Lexical(types, source, home), file);
  }

  /** The patch with only those of the fields whose numbers ("0.1") are kept. */
  static Api.Rendered render(Types types, Api.RenderRequest r) {
    List<String> fields = new ArrayList<>();
    for (int i = 0; i < r.made.unshare.size(); i++) {
      if (r.keep.contains("0." + i)) {
        fields.add(r.made.unshare.get(i));
      }
    }
    TypeInfo test = types.editable(TestId.parse(r.place.test).type);
    if (fields.size() == 1 && fields.get(0).endsWith(SETUP)) {
      return setups(types, test, fields.get(0), r.keep);
    }
    Unsharing u = null;
    for (String f : fields) {
      Resets.Located at = Resets.locate(types, f);
      TypeInfo home = at == null ? null : types.find(at.type.replace('/', '.'));
      if (home == null || home.declaration == null || !new Target(new Lexical(types, test.source, test), null, false).isInstanceOf(home)) {
        throw new Problem("not-own", f + " is no field of the test's own class");
      }
      if (u != null && u.home != home) {
        throw new Problem("two-classes", "the fields are of several classes");
      }
      u = u != null ? u : new Unsharing(types, home).read();
      u.require(u.field(at.field));
    }
    if (u == null) {
      throw new Problem("nothing", "no field was kept");
    }
    u.out.kept.addAll(r.keep);
    return u.write();
  }

  /** The patch that makes the setups and teardowns of the class with one instance those of each test. */
  private static Api.Rendered setups(Types types, TypeInfo test, String place, List<String> keep) {
    TypeInfo home = types.find(place.substring(0, place.length() - SETUP.length()));
    AnnotationExpr one = home == null || home.declaration == null ? null : Lifecycle.annotation(home.declaration, "TestInstance");
    if (home != test || one == null || !one.toString().contains("PER_CLASS")) {
      throw new Problem("many-instances", place + ": the test's class has no single instance for all its tests");
    }
    Unsharing u = new Unsharing(types, home);
    u.read(home);
    u.members.stream().filter(m -> m.owner == home && !m.isStatic() && (u.role(m) == Role.CLASS_SETUP || u.role(m) == Role.CLASS_TEARDOWN))
        .forEach(u.changed::add);
    if (u.changed.stream().noneMatch(m -> u.role(m) == Role.CLASS_SETUP)) {
      throw new Problem("no-setup", home.canonical() + " sets nothing up for all its tests");
    }
    u.out.kept.addAll(keep);
    return u.write();
  }

  private Unsharing read() {
    boolean other = Lifecycle.imports(source, "org.testng") || Lifecycle.has(home.declaration, "TestInstance");
    if (other) {
      throw new Problem("one-instance", home.canonical() + " may have one instance for all its tests");
    }
    read(home);
    return this;
  }

  private void read(TypeInfo t) {
    Lexical at = new Lexical(types, source, t);
    for (BodyDeclaration<?> m : t.declaration.getMembers()) {
      if (!(m instanceof TypeDeclaration)) {
        members.add(new Member(t, m, NameWalker.walk(at, m)));
        continue;
      }
      TypeInfo nested = types.find(t.binary + "$" + ((TypeDeclaration<?>) m).getNameAsString());
      if (nested != null && nested.declaration != null) {
        read(nested);
      }
    }
  }

  private Member field(String name) {
    return members.stream().filter(m -> m.owner == home && m.node instanceof FieldDeclaration
        && ((FieldDeclaration) m.node).getVariables().stream().anyMatch(v -> v.getNameAsString().equals(name)))
        .findFirst().orElseThrow(() -> new Problem("no-field", home.canonical() + " declares no field " + name));
  }

  /** The member must become an instance member, and so must every static member that uses it. */
  private void require(Member first) {
    add(first);
    while (!open.isEmpty()) {
      Member m = open.poll();
      members.stream().filter(x -> within(x) && uses(x, m)).forEach(this::add);
      if (role(m) == Role.CLASS_SETUP) {
        written(m);
      }
    }
  }

  /** Whether the member's code has no instance of the test class. */
  private boolean within(Member m) {
    return m.isStatic() || m.owner != home && m.owner.isStatic;
  }

  private boolean uses(Member by, Member m) {
    return by != m && (by.uses.stream().anyMatch(u -> u.kind == m.kind() && u.owner == home && u.name.equals(m.name()))
        || !qualified(by.node, m).isEmpty());
  }

  /** Places where the member's name follows the name of its class. */
  private List<FieldAccessExpr> qualified(Node in, Member m) {
    return m.kind() != NameUse.Kind.FIELD ? Collections.emptyList() : in.findAll(FieldAccessExpr.class, e ->
        e.getNameAsString().equals(m.name()) && (e.getScope().toString().equals(home.simple()) || e.getScope().toString().equals(home.canonical())));
  }

  /** A member that a setup assigns belongs to the instance of that setup. */
  private void written(Member setup) {
    for (NameUse u : setup.uses) {
      if (u.kind == NameUse.Kind.FIELD && u.write && u.owner == home && u.isStatic()) {
        add(field(u.name));
      }
    }
  }

  private Role role(Member m) {
    return m.node instanceof MethodDeclaration ? lifecycle.role(home, (MethodDeclaration) m.node) : null;
  }

  private void add(Member m) {
    if (changed.contains(m)) {
      return;
    }
    if (m.owner != home || m.node.isInitializerDeclaration()) {
      throw new Problem("static", "static code of " + m.owner.canonical() + " uses what would be of the instance");
    }
    if (m.node instanceof FieldDeclaration) {
      mayChange((FieldDeclaration) m.node);
    } else if (role(m) != Role.CLASS_SETUP && role(m) != Role.CLASS_TEARDOWN) {
      mayChange(m, (MethodDeclaration) m.node);
    }
    changed.add(m);
    open.add(m);
  }

  private void mayChange(FieldDeclaration f) {
    boolean several = f.getVariables().size() > 1;
    boolean plain = f.getAnnotations().stream().allMatch(a -> a.getNameAsString().equals("SuppressWarnings"));
    if (several || !plain || !f.isStatic()) {
      throw new Problem("declaration", "the declaration of " + f.getVariable(0).getNameAsString() + " is no plain static field's");
    }
  }

  /** Frameworks find static methods by annotations, and by names in texts. */
  private void mayChange(Member member, MethodDeclaration m) {
    String name = m.getNameAsString();
    boolean named = source.unit.findAll(StringLiteralExpr.class).stream().anyMatch(s -> s.getValue().endsWith(name))
        || source.unit.findAll(MethodReferenceExpr.class).stream().anyMatch(r -> r.getIdentifier().equals(name));
    boolean called = members.stream().anyMatch(x -> uses(x, member));
    if (named || !called || !m.getAnnotations().isEmpty()) {
      throw new Problem("static", home.canonical() + "." + name + " has to stay static");
    }
  }

  private Api.Rendered write() {
    checkOtherUsers();
    for (Member m : changed) {
      Role r = role(m);
      if (r == Role.CLASS_SETUP || r == Role.CLASS_TEARDOWN) {
        checkOrder(m, r == Role.CLASS_SETUP ? Role.SETUP : Role.TEARDOWN);
        checkPaired(r);
        perTest.turn((MethodDeclaration) m.node);
      }
      unmodified(m);
      members.forEach(x -> qualified(x.node, m).forEach(this::dropQualifier));
    }
    perTest.write();
    changed.forEach(m -> out.statements.add(text(m)));
    out.files.add(file.finish());
    return out;
  }

  /** Drops the modifier "static". */
  private void unmodified(Member m) {
    NodeList<Modifier> all = m.node instanceof FieldDeclaration
        ? ((FieldDeclaration) m.node).getModifiers() : ((MethodDeclaration) m.node).getModifiers();
    for (Modifier x : all) {
      if (x.getKeyword() == Modifier.Keyword.STATIC) {
        int end = source.end(x);
        while (Character.isWhitespace(source.text.charAt(end))) {
          end++;
        }
        file.edits.replace(source.start(x), end, "");
      }
    }
  }

  /**
   * "C.f" becomes "f", if no variable and no field of an inner class has that name, or may inherit
   * it.
   */
  private void dropQualifier(FieldAccessExpr e) {
    String name = e.getNameAsString();
    for (Node n = e; n != home.declaration; n = n.getParentNode().get()) {
      boolean heir = n instanceof ObjectCreationExpr && ((ObjectCreationExpr) n).getAnonymousClassBody().isPresent()
          || n instanceof ClassOrInterfaceDeclaration && !((ClassOrInterfaceDeclaration) n).getExtendedTypes().isEmpty();
      if (heir) {
        throw new Problem("hidden", "a class inside may inherit another " + name);
      }
    }
    Node own = field(name).node;
    boolean hidden = source.unit.findAll(VariableDeclarator.class).stream().anyMatch(
        v -> v.getNameAsString().equals(name) && v.getParentNode().orElse(null) != own)
        || source.unit.findAll(Parameter.class).stream().anyMatch(p -> p.getNameAsString().equals(name));
    if (hidden) {
      throw new Problem("hidden", "a variable hides " + name);
    }
    file.edits.replace(source.start(e), source.start(e.getName()), "");
  }

  /**
   * The order of setups in one class is undefined. A setup that uses a field which another one now
   * assigns may run before it, and so may one with any other dependency on it.
   */
  private void checkOrder(Member turned, Role role) {
    boolean more = !onlySets((MethodDeclaration) turned.node);
    for (Member m : members) {
      boolean beside = m.owner == home && role(m) == role && !changed.contains(m);
      if (beside && (more || changed.stream().anyMatch(c -> uses(m, c)))) {
        throw new Problem("order", "the order of the setups is undefined: " + m.name() + " would be one of several");
      }
    }
  }

  /** Whether the method only assigns the changed members, and calls nothing but constructors. */
  private boolean onlySets(MethodDeclaration m) {
    return m.getBody().map(b -> b.getStatements().stream().allMatch(s -> {
      Expression e = s.isExpressionStmt() ? s.asExpressionStmt().getExpression() : null;
      if (!(e instanceof AssignExpr) || !e.findAll(MethodCallExpr.class).isEmpty()) {
        return false;
      }
      Expression target = ((AssignExpr) e).getTarget();
      String name = target.isFieldAccessExpr() ? target.asFieldAccessExpr().getNameAsString() : target.toString();
      return changed.stream().anyMatch(c -> c.kind() == NameUse.Kind.FIELD && c.name().equals(name));
    })).orElse(true);
  }

  /** A setup that runs for every test no longer fits a teardown that runs once. */
  private void checkPaired(Role turned) {
    Role other = turned == Role.CLASS_SETUP ? Role.CLASS_TEARDOWN : Role.CLASS_SETUP;
    for (Member m : members) {
      if (m.owner == home && role(m) == other && !changed.contains(m)) {
        throw new Problem("paired", m.name() + " would stay one for the whole class, and what belongs to it would not");
      }
    }
  }

  /** Nothing outside the file may use the changed members. */
  private void checkOtherUsers() {
    ClassGraph graph = new ClassGraph(types.classPath, home.binary.replace('.', '/'));
    String top = home.top().replace('.', '/');
    for (CompiledClass c : graph.all()) {
      if (c.name.equals(top) || c.name.startsWith(top + "$")) {
        continue;
      }
      for (CompiledClass.Method m : c.methods) {
        for (Member x : changed) {
          Set<String> keys = new LinkedHashSet<>(x.kind() == NameUse.Kind.FIELD ? m.gets : m.calls);
          keys.addAll(x.kind() == NameUse.Kind.FIELD ? m.puts : Collections.<String>emptySet());
          if (keys.stream().anyMatch(k -> isOf(graph, k, x))) {
            throw new Problem("used", c.source() + " uses " + home.canonical() + "." + x.name() + ", too");
          }
        }
      }
    }
  }

  private boolean isOf(ClassGraph graph, String key, Member m) {
    String plain = key.replaceFirst("\\(.*", "");
    int dot = plain.lastIndexOf('.');
    return plain.substring(dot + 1).equals(m.name()) && graph.isA(plain.substring(0, dot), home.binary.replace('.', '/'));
  }

  /** The new declaration; of a method, only its head. */
  private String text(Member m) {
    int end = source.end(m.node);
    if (m.node instanceof MethodDeclaration) {
      end = ((MethodDeclaration) m.node).getBody().map(source::start).orElse(end);
    }
    return file.edits.apply(source.text, source.start(m.node), end).trim().replaceAll("\\s+", " ");
  }
}
