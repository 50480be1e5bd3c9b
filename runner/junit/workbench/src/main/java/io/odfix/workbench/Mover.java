package io.odfix.workbench;

import com.github.javaparser.ast.body.FieldDeclaration;
import com.github.javaparser.ast.body.VariableDeclarator;
import com.github.javaparser.ast.expr.Expression;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Determines the text of each name in a moved statement at its target, so that it keeps its
 * meaning: qualified, imported, renamed, or turned from a field into a local.
 */
final class Mover {
  /** A field after the name of its class. */
  private static final Pattern FIELD = Pattern.compile("\\.(\\w++)(?!\\s*\\()");

  final Target target;
  private final Imports imports;
  /** New names of locals and of fields that became locals, by {@link #key}. */
  private final Map<Object, String> names = new HashMap<>();
  /** Fields that are declared as locals at the target. */
  private final Set<Object> lifted = new HashSet<>();
  private final Set<String> given = new HashSet<>();
  /** Fields that a container fills, by the name of the target's field that replaces them. */
  private final Map<Object, String> injected = new HashMap<>();
  /** Fields of {@link #injected} that the target's class does not have yet. */
  final List<ScriptStatement> newFields = new ArrayList<>();
  /** Variables whose one use is replaced by their value. */
  private final Map<Object, String> folded = new HashMap<>();

  Mover(Target target, Imports imports) {
    this.target = target;
    this.imports = imports;
  }

  private static Object key(ScriptStatement s, NameUse u) {
    Object k = StatementNeeds.key(u);
    return k instanceof String ? s.helper + "|" + k : k;
  }

  static Object key(ScriptStatement field) {
    return field.helper + "|" + StatementNeeds.key(field);
  }

  /** Whether the code at the target uses the same field, because it can access it. */
  boolean usedInPlace(ScriptStatement field) {
    TypeInfo owner = field.lexical.self;
    TypeInfo.Member m = owner.fields.get(field.variable().getNameAsString());
    return target.shares(owner, m) || (m.isStatic() && target.reaches(owner, m)) || constant(owner, m.name) != null
        || givenByContainer(field);
  }

  /**
   * Whether the target's class has, or can get, a field that the container fills with the same
   * value.
   */
  private boolean givenByContainer(ScriptStatement field) {
    return Made.isField(field)
        || Injected.is(field) && (Injected.sameField(field, target) != null || Injected.fits(field, target));
  }

  /** Whether the statement initialises the instance and is valid in its constructor only. */
  boolean onlyConstructs(ScriptStatement s) {
    return s.role == Role.CONSTRUCTOR && s.uses.stream().anyMatch(u -> u.write && u.kind == NameUse.Kind.FIELD
        && (u.member.flags & java.lang.reflect.Modifier.FINAL) != 0 && target.shares(u.owner, u.member));
  }

  /** Chooses the names of all locals before it makes any text. */
  void plan(List<ScriptStatement> kept) {
    Set<String> taken = new HashSet<>(target.taken);
    for (ScriptStatement s : kept) {
      for (NameUse u : s.uses) {
        if (u.kind == NameUse.Kind.FIELD && target.shares(u.owner, u.member)) {
          taken.add(u.name);
        }
      }
    }
    // A caller may leave out fields that are used in place. needsState still contains them.
    kept.forEach(s -> s.walk(x -> x.needsState.forEach(f -> inject(f, taken))));
    for (ScriptStatement s : kept) {
      if (s.form == ScriptStatement.Form.FIELD && !usedInPlace(s)) {
        lifted.add(key(s));
        names.put(key(s), fresh(s.variable().getNameAsString(), taken));
      }
      Set<NameUse.Local> top = new HashSet<>(s.declares());
      for (NameUse u : s.uses) {
        if (u.kind == NameUse.Kind.DECLARES && !names.containsKey(u.local)) {
          boolean outer = top.contains(u.local);
          boolean collides = outer ? taken.contains(u.name) || given.contains(u.name)
              : target.visible.contains(u.name) || given.contains(u.name) || injected.containsValue(u.name);
          String name = collides ? fresh(u.name, taken) : u.name;
          names.put(u.local, name);
          if (outer) {
            given.add(name);
          }
        }
      }
    }
  }

  private void inject(ScriptStatement s, Set<String> taken) {
    boolean open = (Injected.is(s) || Made.isField(s)) && !injected.containsKey(key(s)) && !target.isInstanceOf(s.lexical.self);
    if (!open || !givenByContainer(s)) {
      return;
    }
    String name = Made.isField(s) ? null : Injected.sameField(s, target);
    for (ScriptStatement a : newFields) { // added for another helper, with the same value
      name = Injected.alike(a, s) ? nameOf(a) : name;
    }
    if (name == null) {
      name = freeField(s.variable().getNameAsString(), taken);
      newFields.add(s);
    }
    injected.put(key(s), name);
    taken.add(name);
  }

  private String freeField(String wanted, Set<String> taken) {
    String name = wanted;
    for (int i = 2; target.lexical.field(name) != null || target.lexical.staticImport(name, false) != null
        || taken.contains(name); i++) {
      name = wanted + i;
    }
    return name;
  }

  private String fresh(String name, Set<String> taken) {
    String free = name;
    for (int i = 2; taken.contains(free) || given.contains(free); i++) {
      free = name + i;
    }
    given.add(free);
    return free;
  }

  /** Replaces the one use of the variable by its value, in all edits from now on. */
  void fold(ScriptStatement s, Object variable, Expression value) {
    folded.put(variable, edits(s).apply(s.source().text, s.source().start(value), s.source().end(value)));
  }

  String nameOf(ScriptStatement field) {
    return injected.getOrDefault(key(field), names.get(key(field)));
  }

  /** The edits that adapt a statement to its target. */
  Edits edits(ScriptStatement s) {
    Edits e = edits(s, s.uses);
    NamedConstants.use(s, target, e);
    return e;
  }

  /** The edits that adapt other text of the statement's class, which has these uses of names. */
  Edits edits(ScriptStatement s, List<NameUse> uses) {
    Edits e = new Edits();
    for (NameUse u : uses) {
      if (ownField(s, u)) {
        e.replace(u.start, u.end + 1, ""); // with its dot
        continue;
      }
      String text = text(s, u);
      if (text != null) {
        e.replace(u.start, u.end, text);
      }
    }
    return e;
  }

  /**
   * Whether the use is the class name in {@code Target.field}, and the simple name {@code field}
   * means the same field at the target.
   */
  private boolean ownField(ScriptStatement s, NameUse u) {
    TypeInfo self = target.lexical.self;
    if (u.kind != NameUse.Kind.TYPE || self == null || !self.binary.equals(u.type.binary) || self.binary.equals(s.lexical.self.binary)) {
      return false;
    }
    Matcher member = FIELD.matcher(s.source().text).region(u.end, s.source().text.length());
    if (!member.lookingAt()) {
      return false;
    }
    String name = member.group(1);
    Types.Found here = target.lexical.field(name);
    return here != null && here.owner.binary.equals(self.binary) && !target.visible.contains(name) && !given.contains(name);
  }

  private String text(ScriptStatement s, NameUse u) {
    switch (u.kind) {
      case LOCAL:
      case DECLARES:
        return local(u);
      case FIELD:
        return field(s, u);
      case METHOD:
        return method(s, u);
      case TYPE:
        return typeText(s, u.type);
      case STATIC:
        return u.bareOnly ? null : imports.staticMember(target.lexical, u.owner, u.name, u.call);
      case THIS:
        return self(s, u);
      case SUPER:
        boolean made = Made.is(s.lexical.self) && target.isInstanceOf(target.lexical.self); // it means the target's superclass
        if (!made && !target.lexical.self.binary.equals(s.lexical.self.binary)) {
          throw new Problem("super", "uses \"super\" of " + s.lexical.self.simple());
        }
        return null;
      default:
        return null;
    }
  }

  private String local(NameUse u) {
    if (u.kind == NameUse.Kind.LOCAL && folded.containsKey(u.local)) {
      return folded.get(u.local);
    }
    String name = names.get(u.local);
    if (name == null) {
      throw new Problem("needs", "uses \"" + u.name + "\", which is declared by "
          + (u.local.header ? "a parameter or the head of the statement around it" : "a statement that is not kept"));
    }
    return name.equals(u.name) ? null : name;
  }

  private String typeText(ScriptStatement s, TypeInfo t) {
    return imports.reference(target.lexical, t, importedAlone(s, t));
  }

  private static boolean importedAlone(ScriptStatement s, TypeInfo t) {
    return t.outer != null && s.source().unit.getImports().stream()
        .anyMatch(i -> !i.isAsterisk() && i.getNameAsString().equals(t.canonical()));
  }

  private String field(ScriptStatement s, NameUse u) {
    if (target.shares(u.owner, u.member)) {
      Types.Found here = target.lexical.field(u.name);
      boolean hidden = target.visible.contains(u.name) || given.contains(u.name)
          || here == null || !here.owner.binary.equals(u.owner.binary);
      if (!hidden || u.viaThis) {
        return null;
      }
      return u.isStatic() ? imports.reference(target.lexical, u.owner, false) + "." + u.name : "this." + u.name;
    }
    Object key = key(s, u);
    if (injected.containsKey(key)) {
      String name = injected.get(key);
      return (u.viaThis || target.visible.contains(name) || given.contains(name) ? "this." : "") + name;
    }
    if (lifted.contains(key)) {
      return folded.getOrDefault(key, names.get(key));
    }
    if (u.isStatic()) {
      if (target.reaches(u.owner, u.member)) {
        return imports.reference(target.lexical, u.owner, false) + "." + u.name;
      }
      Expression literal = constant(u.owner, u.name);
      if (literal != null) {
        return Literals.copy(u.owner, u.name, literal);
      }
      throw new Problem("private", "uses the " + (u.member.isPrivate() ? "private " : "hidden ") + "static field "
          + u.name + " of " + u.owner.simple());
    }
    throw new Problem("needs", "uses the field " + u.name + " of " + u.owner.simple()
        + ", whose declaration is not kept");
  }

  /** The initial value of a static final field where it is made of literals only, else null. */
  static Expression constant(TypeInfo owner, String name) {
    if (owner.declaration == null) {
      return null;
    }
    FieldDeclaration f = owner.declaration.getFieldByName(name).orElse(null);
    if (f == null || !f.isFinal() || !f.isStatic()) {
      return null;
    }
    for (VariableDeclarator v : f.getVariables()) {
      if (v.getNameAsString().equals(name) && v.getInitializer().filter(Literals::only).isPresent()) {
        return v.getInitializer().get();
      }
    }
    return null;
  }

  private String method(ScriptStatement s, NameUse u) {
    if (target.shares(u.owner, u.member)) {
      sameOnTarget(s, u);
      Types.Found here = target.lexical.method(u.name, u.member.params);
      if (here != null && here.owner.binary.equals(u.owner.binary) || u.viaThis) {
        return null;
      }
      return u.isStatic() ? imports.reference(target.lexical, u.owner, false) + "." + u.name : null;
    }
    if (!u.isStatic()) {
      throw new Problem("own-method", "calls " + u.name + "(), an instance method of " + u.owner.simple());
    }
    if (!target.reaches(u.owner, u.member)) {
      throw new Problem("private", "calls " + u.name + "(), a "
          + (u.member.isPrivate() ? "private" : "hidden") + " method of " + u.owner.simple());
    }
    return imports.reference(target.lexical, u.owner, false) + "." + u.name;
  }

  /** Refuses a call of an inherited method that does something else on the target's instance. */
  private void sameOnTarget(ScriptStatement s, NameUse u) {
    TypeInfo helper = Made.is(s.lexical.self) ? null : target.lexical.types.find(TestId.parse(s.helper).type);
    TypeInfo self = target.heir(u.owner);
    if (u.isStatic() || helper == null || self == null) {
      return;
    }
    String other = Dispatch.differs(target.lexical.types, helper, self, u);
    if (other != null) {
      throw new Problem("own-method", "calls " + u.name + "(), which in " + self.simple() + " is not as in " + helper.simple()
          + (other.equals(u.name) ? "" : ", because of " + other + "()"));
    }
  }

  private String self(ScriptStatement s, NameUse u) {
    TypeInfo outer = u.type == null ? null : target.lexical.types.find(u.type.outer);
    TypeInfo home = outer != null ? outer : s.lexical.self;
    if (target.isInstanceOf(home)) {
      return null;
    }
    throw new Problem("this", u.type != null ? "makes a " + u.type.simple() + ", an inner class of " + home.simple()
        : "uses \"this\" as a " + home.simple());
  }

}
