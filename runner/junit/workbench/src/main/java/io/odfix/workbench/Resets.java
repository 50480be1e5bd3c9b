package io.odfix.workbench;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Statements that may restore a static field: the search for reset-methods of ODRepair (Li et al.,
 * ICSE 2022, section 3.2). It uses the methods that put the field or change its object, with
 * arguments from the tests' literals. ODRepair passes each method to Randoop; this class lists and
 * sorts the calls that a person would try first. The caller tries them.
 */
final class Resets {
  /** The maximal number of statements for one field that use reflection. */
  private static final int REFLECTING = 6;

  /** The maximal number of strings that are arguments. Those of the tests come first. */
  private static final int LITERALS = 12;

  /** A null among arguments. */
  private static final Pattern NULL = Pattern.compile("\\bnull\\b");

  /** The maximal number of argument lists that other code passes, and their price. */
  private static final int PASSED = 6;
  private static final int PASSED_PRICE = 1;

  private final Types types;
  private final ClassGraph graph;
  private final Values values;
  private final CompiledClass.Field field;
  private final boolean sets;
  private final Set<CompiledClass.Method> harmful;
  private final SavedFields saved;
  /** The groups of packages of the tests: a jar may hold another module of the project. */
  private final Set<String> near;
  /** Null if reflection is not requested, and while other statements are collected. */
  private Reflection reflection;
  private final List<KnownDifference> differences = new ArrayList<>();
  private final Map<String, Api.Reset> out = new LinkedHashMap<>();

  private Resets(Types types, ClassGraph graph, Values values, CompiledClass.Field field, List<String> tests, boolean sets) {
    this.types = types;
    this.graph = graph;
    this.values = values;
    this.field = field;
    this.sets = sets;
    this.harmful = graph.harmful();
    this.saved = new SavedFields(graph, field, tests);
    this.near = tests.stream().map(t -> group(TestId.parse(t).type)).collect(Collectors.toSet());
  }

  static Api.Resets find(Types types, Api.ResetsRequest r) {
    Api.Resets answer = new Api.Resets();
    Located at = locate(types, r.place);
    if (at == null) {
      return answer;
    }
    ClassGraph graph = new ClassGraph(types.classPath, at.type);
    CompiledClass owner = graph.find(at.type);
    CompiledClass.Field field = owner == null ? null : owner.fields.get(at.field);
    if (field == null || !field.isStatic()) {
      return answer;
    }
    answer.known = true;
    Set<String> packages = new LinkedHashSet<>();
    List<String> strings = new ArrayList<>();
    for (String t : r.tests) {
      String internal = TestId.parse(t).type.replace('.', '/');
      packages.add(internal.contains("/") ? internal.substring(0, internal.lastIndexOf('/')).replace('/', '.') : "");
      MentionedValues.strings(graph, internal, strings, LITERALS);
    }
    MentionedValues.strings(graph, at.type, strings, LITERALS);
    List<String> own = new ArrayList<>();
    r.tests.forEach(t -> MentionedValues.strings(graph, TestId.parse(t), own));
    own.addAll(strings);
    strings.clear();
    own.stream().distinct().limit(LITERALS).forEach(strings::add);
    Values values = new Values(graph, packages, strings);
    Resets s = new Resets(types, graph, values, field, r.tests, r.sets);
    MentionedValues mentioned = new MentionedValues(graph, values);
    r.tests.forEach(t -> mentioned.by(TestId.parse(t)));
    mentioned.first(field);
    mentioned.made(field);
    s.known(r);
    s.search();
    new TestFieldResets(graph, s).search(field, s.differences, r.tests);
    Map<CompiledClass.Method, Integer> harmless = graph.writers(field);
    harmless.keySet().removeAll(s.harmful);
    new OwnResets(graph, s).search(field, r.tests, harmless);
    if (r.reflection) {
      s.reflecting(new Reflection(types, values));
    }
    new OneStatement().filter(s.out.values());
    answer.field = owner.source() + "." + field.name;
    answer.body = FirstValue.undoing(field);
    int limit = r.limit > 0 ? r.limit : 50;
    answer.candidates.addAll(s.likeliest(true, REFLECTING));
    answer.found = answer.candidates.size() + s.likeliest(false, Integer.MAX_VALUE).size();
    answer.candidates.addAll(0, s.likeliest(false, limit));
    return answer;
  }

  private List<Api.Reset> likeliest(boolean reflecting, int limit) {
    return out.values().stream().filter(c -> c.kind.equals("reflection") == reflecting)
        .sorted((a, b) -> a.price != b.price ? a.price - b.price : a.statement.compareTo(b.statement)).limit(limit).collect(Collectors.toList());
  }

  /** A static field by the names of its class and itself. */
  static final class Located {
    final String type;
    final String field;

    Located(String type, String field) {
      this.type = type;
      this.field = field;
    }
  }

  /** Reads "a.b.C.f". A path below the field may follow. */
  static Located locate(Types types, String place) {
    String[] parts = (place == null ? "" : place).split("\\.");
    StringBuilder name = new StringBuilder();
    for (int i = 0; i + 1 < parts.length; i++) {
      name.append(i == 0 ? "" : ".").append(parts[i]);
      TypeInfo t = Types.isName(name.toString()) ? types.classPath.find(name.toString()) : null;
      String field = parts[i + 1].replaceAll("[^\\p{Alnum}_$].*", "");
      if (t != null && t.fields.containsKey(field)) {
        return new Located(t.binary.replace('.', '/'), field);
      }
    }
    return null;
  }

  /** Values from the known differences: the keys and the wanted values are tried first. */
  private void known(Api.ResetsRequest r) {
    String place = field.owner.name.replace('/', '.') + "." + field.name;
    for (Api.Change c : r.changes) {
      KnownDifference w = KnownDifference.of(place, c, sets);
      if (w != null) {
        differences.add(w);
      }
    }
    for (KnownDifference w : differences) {
      if (w.last() != null && w.last().key) {
        values.known(new DescribedValue(graph, values, w.last().text));
      }
    }
    differences.forEach(w -> values.known(new DescribedValue(graph, values, w.wanted)));
    // The method that removes something may take the thing itself: unregister(VdmParser.class).
    differences.stream().filter(KnownDifference::added).forEach(w -> values.known(new DescribedValue(graph, values, w.found)));
  }

  private void search() {
    Map<CompiledClass.Method, Integer> writers = graph.writers(field);
    written();
    List<Values.Value> held = held();
    differences.forEach(w -> new DirectResets(types, graph, values, this, w, null).search(field, held));
    Map<CompiledClass.Method, Integer> changers = contents(held);
    writers.forEach((m, depth) -> {
      if (!changers.containsKey(m)) {
        calls(m, depth, m.isStatic() || m.constructs() ? null : values.of(m.owner.name));
      }
    });
  }

  /** The same by reflection, if nothing else reaches the field or the difference below it. */
  private void reflecting(Reflection by) {
    if (!field.owner.own) {
      return; // the author of a library does not know that a test uses the field's name
    }
    reflection = by;
    List<Values.Value> held = held();
    for (KnownDifference w : differences) {
      by.begin();
      new DirectResets(types, graph, values, this, w, by).search(field, held.isEmpty() ? Collections.singletonList(by.get(field, null)) : held);
    }
    by.begin();
    if (held.isEmpty()) {
      contents(Collections.singletonList(by.get(field, null)));
    }
    if (!field.isFinal() && !values.visible(field.owner, field.access) && field.first != null) {
      add(by.set(field, null, field.first), 5, "reflection");
    }
  }

  /** An accessible field can be assigned its first value, or the one that the test class has kept. */
  private void written() {
    if (!field.isFinal() && values.visible(field.owner, field.access)) {
      saved.as(field.descriptor).forEach(f -> add(name() + " = " + f + ";", 0, "assignment"));
    }
    if (!field.isFinal() && values.visible(field.owner, field.access) && field.first != null) {
      add(name() + " = " + field.first + ";", 5, "assignment");
    }
  }

  private String name() {
    return field.owner.source() + "." + field.name;
  }

  /** Calls of the field's object that change it. */
  private Map<CompiledClass.Method, Integer> contents(List<Values.Value> held) {
    if (field.descriptor.startsWith("[")) {
      held.forEach(v -> add("java.util.Arrays.fill(" + v.text + ", " + CompiledClass.zero(field.descriptor.substring(1)) + ");",
          8 + v.price, "contents"));
    }
    if (!field.descriptor.startsWith("L")) {
      return new HashMap<>();
    }
    String type = field.descriptor.substring(1, field.descriptor.length() - 1);
    CompiledClass code = graph.find(type);
    if (code == null) {
      held.forEach(v -> container(v, type));
      return new HashMap<>();
    }
    Map<CompiledClass.Method, Integer> changers = graph.changers(code);
    changers.forEach((m, depth) -> calls(m, depth, held));
    for (Values.Value v : held) {
      for (CompiledClass c : graph.lineage(code)) {
        for (CompiledClass.Method m : c.methods) {
          boolean getter = !m.isStatic() && m.descriptor.startsWith("()Ljava/util/") && visible(m);
          if (getter) {
            container(new Values.Value(v.text + "." + m.name + "()", v.price + 3), m.descriptor.substring(3, m.descriptor.length() - 1));
          }
        }
      }
    }
    return changers;
  }

  /** Expressions for the field's value. */
  private List<Values.Value> held() {
    List<Values.Value> out = new ArrayList<>();
    if (values.visible(field.owner, field.access)) {
      out.add(new Values.Value(name(), 0));
    }
    for (CompiledClass c : graph.all()) {
      for (CompiledClass.Method m : c.methods) {
        boolean gives = m.isStatic() && m.descriptor.startsWith("()L") && field.key().equals(m.gives);
        // A method of the field's own class that returns such an object may do so through a
        // variable.
        boolean may = c == field.owner && m.isStatic() && m.descriptor.equals("()" + field.descriptor) && m.gets.contains(field.key());
        if ((gives || may) && values.visible(c, m.access) && !m.annotated) {
          out.add(new Values.Value(c.source() + "." + m.name + "()", gives ? c == field.owner ? 1 : 3 : 4));
        }
      }
    }
    return out;
  }

  /** Calls that empty or end the field's object. */
  private void container(Values.Value v, String internal) {
    Emptying.calls(types, internal).forEach((call, price) -> add(v.text + call + ";", price + v.price, "contents"));
  }

  private boolean visible(CompiledClass.Method m) {
    return values.visible(m.owner, m.access) && !m.annotated && !m.name.startsWith("lambda$");
  }

  /** Calls of the method. on has the objects to call it on, or is null if it needs none. */
  void calls(CompiledClass.Method changing, int depth, List<Values.Value> on) {
    CompiledClass.Method m = graph.callable(changing, values);
    boolean harms = harmful.contains(m) || harmful.contains(changing);
    boolean none = m.name.equals("<clinit>") || m.name.equals("main") || !visible(m) || inTest(m) || harms;
    if (none || m.constructs() && (Modifier.isAbstract(m.owner.access) || m.owner.inner && m.owner.outer != null)) {
      return;
    }
    boolean foreign = !m.owner.own && near.stream().noneMatch(m.owner.name.replace('/', '.')::startsWith);
    if (foreign && !mayResetLibrary(m, changing)) {
      return;
    }
    int verb = m.constructs() ? 7 : beginsAgain(changing) ? 0 : 2 * MethodNameHints.rank(m.name, sets);
    boolean sets = differences.stream().anyMatch(w -> depth == 0 && w.puts(field, changing));
    int undoing = m.constructs() || !sets && !fits(m.name) ? verb : Math.min(verb, 1);
    int others = 2 * depth + (m.owner == field.owner ? 0 : m.owner.own ? 2 : 3) + (Modifier.isPublic(m.access) ? 0 : 1);
    Type[] parameters = Type.getArgumentTypes(m.descriptor);
    if (parameters.length == 1 && !m.constructs()) {
      saved.as(parameters[0].getDescriptor()).forEach(f -> call(m, on, new Values.Value("(" + f + ")", 0), depth));
    }
    boolean variable = (m.access & Opcodes.ACC_VARARGS) != 0;
    if (variable || parameters.length > 0 && parameters[parameters.length - 1].getSort() != Type.ARRAY) {
      graph.passed(m).stream().limit(PASSED).forEach(a -> call(m, on, new Values.Value(a, PASSED_PRICE), others + verb));
    }
    Map<String, String> given = new HashMap<>();
    if (field.first != null) {
      String made = "new " + Type.getType(field.descriptor).getClassName().replace('$', '.') + "(";
      boolean generic = field.generic != null && field.first.startsWith(made); // a subclass may have no parameters
      given.put(field.descriptor, generic ? field.first.replace("(", "<>(") : field.first);
    }
    for (Values.Value a : values.arguments(m, given)) {
      if (foreign && !a.exact && NULL.matcher(a.text).find()) {
        continue;
      }
      call(m, on, a, others + (a.exact ? undoing : verb));
    }
  }

  /**
   * The first names of a class's package that other modules of its project have, too: two of them, or
   * three of a package with more: "org.acme." of org.acme.shop, "org.apache.commons." of
   * org.apache.commons.io.file.
   */
  private static String group(String type) {
    String pkg = type.substring(0, type.lastIndexOf('.') + 1);
    int names = pkg.split("\\.").length > 3 ? 3 : 2;
    return pkg.replaceAll("^((?:[^.]+\\.){1," + names + "}).*", "$1");
  }

  /**
   * Whether the name of a library's method means that it restores state. Many other methods fill a cache
   * of the library.
   */
  private boolean mayResetLibrary(CompiledClass.Method m, CompiledClass.Method changing) {
    return !m.constructs() && (MethodNameHints.rank(m.name, sets) < MethodNameHints.NEUTRAL || fits(m.name) || beginsAgain(changing));
  }

  /**
   * Whether a method without parameters puts the same constant into the field as its class's
   * initialiser.
   */
  private boolean beginsAgain(CompiledClass.Method m) {
    String first = field.owner.methods.stream().filter(x -> x.name.equals("<clinit>")).map(x -> x.keeps.get(field.key()))
        .filter(x -> x != null).findFirst().orElse(null);
    boolean isField = first != null && first.indexOf('(') < 0; // a call may have other arguments
    return isField && first.equals(m.keeps.get(field.key())) && m.descriptor.startsWith("()");
  }

  /** Adds one call for each object. */
  private void call(CompiledClass.Method m, List<Values.Value> on, Values.Value a, int price) {
    if (m.constructs()) {
      add("new " + m.owner.source() + a.text + ";", price + a.price, "constructor");
    } else if (on == null) {
      add(m.owner.source() + "." + m.name + a.text + ";", price + a.price, "method");
    } else {
      on.stream().limit(3).forEach(v -> add(v.text + "." + m.name + a.text + ";", price + v.price + a.price, "method"));
    }
  }

  /**
   * The method undoes one of the differences, judged by its name and with arguments from the
   * differences.
   */
  private boolean fits(String method) {
    return differences.stream().anyMatch(w -> w.added() ? MethodNameHints.removes(method) : MethodNameHints.puts(method));
  }

  /** Methods of test classes are called only if they are static and made for it. */
  private boolean inTest(CompiledClass.Method m) {
    return !m.isStatic() && (graph.isA(m.owner.name, "junit/framework/TestCase") || m.owner.methods.stream().anyMatch(x -> x.annotated));
  }

  void add(String statement, int price, String kind) {
    add(new ArrayList<>(), statement, price, kind);
  }

  /** As {@link #add(String, int, String)}, with fields that the statement needs. */
  void add(List<String> fields, String text, int price, String kind) {
    String statement = reflection == null ? text : Reflection.giving(text);
    List<String> lead = reflection == null ? null : reflection.lead(statement);
    if (lead != null && !lead.isEmpty() && !fields.isEmpty()) {
      return; // no statement can come before the declaration of fields
    }
    int whole = lead == null ? price : price + Reflection.PRICE;
    String key = lead == null ? statement : lead + statement;
    Api.Reset r = out.get(key);
    if (r == null || r.price > whole) {
      r = new Api.Reset();
      r.fields.addAll(fields);
      r.lead.addAll(lead == null ? Collections.<String>emptyList() : lead);
      r.statement = statement;
      r.price = whole;
      r.kind = lead == null ? kind : "reflection";
      out.put(key, r);
    }
  }
}
