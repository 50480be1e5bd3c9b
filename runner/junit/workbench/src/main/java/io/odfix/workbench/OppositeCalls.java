package io.odfix.workbench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.Type;

/**
 * Statements that undo a call in the code that a test runs, by the opposite call on the same class or
 * object: {@code Security.removeProvider("Fast")} after {@code Security.insertProviderAt(…)}, {@code
 * mapper().configure(FEATURE, true)} after the same with false, {@code registerEditor(Money.class, null)}
 * after the same with an editor, and {@code root().setLevel(savedLevel)} with a field that keeps what {@code
 * root().getLevel()} gave before. The state may be anywhere in a library, or in what is not observed.
 */
final class OppositeCalls {
  /** The maximal number of calls between the test and the call that is undone. */
  private static final int DEEP = 3;
  private static final int METHODS = 500;
  private static final int MOST = 12;
  private static final int EACH = 3; // for one call
  private static final int SAVED = 2; // with a new field
  private static final int ARGUMENTS = 4; // argument lists of one method
  private static final int RECEIVERS = 3;
  private static final int PRICE = 7;

  /**
   * How the name of a method begins, and then the names of those that undo what it does. Words that say
   * that data is lost are not among them.
   */
  private static final List<List<String>> OPPOSITES = Arrays.asList(
      Arrays.asList("register", "unregister", "deregister", "remove"), Arrays.asList("add", "remove"),
      Arrays.asList("insert", "remove"), Arrays.asList("put", "remove"), Arrays.asList("install", "uninstall", "remove"),
      Arrays.asList("enable", "disable"), Arrays.asList("disable", "enable"), Arrays.asList("activate", "deactivate"),
      Arrays.asList("deactivate", "activate"), Arrays.asList("start", "stop", "shutdown"), Arrays.asList("stop", "start"),
      Arrays.asList("shutdown", "start", "init"), Arrays.asList("attach", "detach"), Arrays.asList("bind", "unbind"), Arrays.asList("push", "pop"),
      Arrays.asList("subscribe", "unsubscribe"), Arrays.asList("freeze", "unfreeze"), Arrays.asList("suspend", "resume"),
      Arrays.asList("define", "undefine", "remove"), Arrays.asList("load", "unload"), Arrays.asList("lock", "unlock"),
      Arrays.asList("set", "reset", "unset", "clear", "remove"));

  /** How methods begin that give something a new value, which null may take back. */
  private static final List<String> SETTING = Arrays.asList("register", "set", "put", "install", "use");

  /** How methods begin that switch something on or off by their last argument. */
  private static final List<String> SWITCHING = Arrays.asList("set", "configure", "enable", "use", "allow", "with", "activate");

  /** Classes whose objects hold no state that outlives a test, or whose state is restored in other ways. */
  private static final List<String> OTHERS = Arrays.asList("java/lang/System", "java/lang/String", "java/lang/Thread", "java/lang/invoke/",
      "java/lang/reflect/", "java/util/", "java/io/", "java/nio/", "java/time/", "java/text/", "java/math/", "java/net/Http", "javax/net/");

  private final Types types;
  private final ClassGraph graph;
  private final Reachable reach;
  private final Map<String, CompiledClass> codes = new HashMap<>();
  private final Map<String, Api.Reset> found = new LinkedHashMap<>();
  private int most; // how many may be found with those for the present call

  private OppositeCalls(Types types, ClassGraph graph, CompiledClass test) {
    this.types = types;
    this.graph = graph;
    this.reach = new Reachable(types, graph, test);
  }

  /** The likeliest statements. place says for people what they restore. */
  static List<Api.Reset> find(Types types, ClassGraph graph, CompiledClass test, String place) {
    OppositeCalls s = new OppositeCalls(types, graph, test);
    Reachable.walk(graph, test, DEEP, METHODS, s::undo);
    List<Api.Reset> out = new ArrayList<>(s.found.values());
    out.sort((a, b) -> a.price != b.price ? a.price - b.price : a.statement.compareTo(b.statement));
    List<Api.Reset> likeliest = new ArrayList<>();
    int saved = 0;
    for (Api.Reset r : out) {
      saved += r.fields.isEmpty() ? 0 : 1;
      if (likeliest.size() < MOST && (r.fields.isEmpty() || saved <= SAVED)) {
        r.place = place;
        likeliest.add(r);
      }
    }
    return likeliest;
  }

  /** Adds the statements that undo a call in the method. */
  private void undo(CompiledClass.Method in, int depth, String call) {
    String owner = Reachable.owner(call);
    String name = Reachable.signature(call).substring(0, Reachable.signature(call).indexOf('('));
    if (OPPOSITES.stream().noneMatch(w -> name.startsWith(w.get(0))) && SETTING.stream().noneMatch(name::startsWith)
        && SWITCHING.stream().noneMatch(name::startsWith)) {
      return;
    }
    boolean kept = OTHERS.stream().anyMatch(owner::startsWith) && !owner.startsWith("java/util/logging/");
    boolean left = kept || CalledResets.ofTests(owner) || owner.startsWith("[") || name.startsWith("<");
    CompiledClass of = left ? null : reach.members(owner);
    CompiledClass.Method called = of == null ? null : reach.method(of, Reachable.signature(call));
    if (called == null) {
      return;
    }
    most = found.size() + EACH;
    Type[] parameters = Type.getArgumentTypes(called.descriptor);
    List<String> receivers = called.isStatic() ? reach.accessible(of, of.access) ? Arrays.asList(of.source()) : new ArrayList<>() : reach.receivers(in, owner);
    for (String on : receivers.subList(0, Math.min(RECEIVERS, receivers.size()))) {
      Set<String> plain = in.passes.getOrDefault(call, new LinkedHashSet<>());
      if (reach.accessible(called.owner, called.access) && !harms(of, name)) {
        plain.forEach(a -> flipped(on, name, a, depth));
        emptied(in, on, called, parameters, depth);
        kept(on, of, called, parameters, depth);
      }
      opposites(in, on, of, called, plain, depth);
    }
  }

  /** The same call with the other truth value. */
  private void flipped(String on, String name, String arguments, int depth) {
    if (SWITCHING.stream().noneMatch(name::startsWith)) {
      return; // run(true) may be a trial, and run(false) no trial
    }
    boolean was = arguments.equals("(true)") || arguments.endsWith(", true)");
    if (was || arguments.equals("(false)") || arguments.endsWith(", false)")) {
      String rest = arguments.substring(0, arguments.length() - (was ? "true)" : "false)").length());
      add(on + "." + name + rest + !was + ");", null, depth);
    }
  }

  /** The same call with null as the last of several arguments. */
  private void emptied(CompiledClass.Method in, String on, CompiledClass.Method called, Type[] parameters, int depth) {
    int last = parameters.length - 1;
    if (last < 1 || parameters[last].getSort() != Type.OBJECT || SETTING.stream().noneMatch(called.name::startsWith)) {
      return;
    }
    Type[] keys = Arrays.copyOf(parameters, last);
    arguments(in, keys, parameters, new LinkedHashSet<>())
        .forEach(a -> add(on + "." + called.name + "(" + String.join(", ", a) + ", null);", null, depth + 1));
  }

  /** The same call with the value that a getter of the same name gave before the test. */
  private void kept(String on, CompiledClass of, CompiledClass.Method called, Type[] parameters, int depth) {
    if (!called.name.startsWith("set") || parameters.length != 1) {
      return;
    }
    String rest = called.name.substring(3);
    String type = parameters[0].getClassName().replace('$', '.');
    for (String getter : Arrays.asList("get" + rest, "is" + rest)) {
      CompiledClass.Method gives = reach.method(of, getter + "()" + parameters[0].getDescriptor());
      if (!rest.isEmpty() && gives != null && gives.isStatic() == called.isStatic() && reach.accessible(gives.owner, gives.access)) {
        add(on + "." + called.name + "(saved" + rest + ");", type + " saved" + rest + " = " + on + "." + getter + "()", depth);
      }
    }
  }

  /** Methods of the class whose names mean the opposite. */
  private void opposites(CompiledClass.Method in, String on, CompiledClass of, CompiledClass.Method called, Set<String> plain, int depth) {
    for (List<String> words : OPPOSITES) {
      if (!called.name.startsWith(words.get(0))) {
        continue;
      }
      String rest = called.name.substring(words.get(0).length());
      for (CompiledClass c : reach.lineage(of)) {
        for (CompiledClass.Method m : c.methods) {
          boolean opposite = words.stream().skip(1).anyMatch(w -> m.name.startsWith(w) && alike(rest, m.name.substring(w.length())));
          if (opposite && m.isStatic() == called.isStatic() && reach.accessible(c, m.access) && !harms(c, m.name)) {
            int price = depth + (m.name.endsWith(rest) ? 0 : 1);
            arguments(in, Type.getArgumentTypes(m.descriptor), Type.getArgumentTypes(called.descriptor), plain)
                .forEach(a -> add(on + "." + m.name + "(" + String.join(", ", a) + ");", null, price));
          }
        }
      }
    }
  }

  /** Whether the method ends the process, starts others, or deletes files. The JDK's are known not to. */
  private boolean harms(CompiledClass of, String name) {
    CompiledClass code = of;
    if (!of.own) {
      if (!codes.containsKey(of.name)) {
        codes.put(of.name, types.classPath.code(of.name.replace('/', '.')));
      }
      code = codes.get(of.name);
    }
    return code != null && ClassGraph.harms(code, name);
  }

  /** Whether one begins like the other: removeProvider undoes insertProviderAt. */
  private static boolean alike(String a, String b) {
    return a.startsWith(b) || b.startsWith(a);
  }

  /** Arguments of these types: those of the call that is undone, or values that its method mentions. */
  private List<List<String>> arguments(CompiledClass.Method in, Type[] wanted, Type[] given, Set<String> plain) {
    List<List<String>> out = new ArrayList<>();
    out.add(new ArrayList<>());
    for (int i = 0; i < wanted.length; i++) {
      Set<String> values = new LinkedHashSet<>();
      for (String p : i < given.length && given[i].equals(wanted[i]) ? plain : new LinkedHashSet<String>()) {
        List<String> each = divided(p);
        if (each.size() == given.length) {
          values.add(each.get(i));
        }
      }
      values.addAll(mentioned(in, wanted[i].getDescriptor()));
      values.addAll(reach.fields(in, wanted[i]));
      List<List<String>> longer = new ArrayList<>();
      for (List<String> one : out) {
        for (String v : values) {
          List<String> next = new ArrayList<>(one);
          next.add(v);
          longer.add(next);
        }
      }
      out = longer.subList(0, Math.min(ARGUMENTS, longer.size()));
    }
    return out;
  }

  /** Values of that type that a method mentions, and strings of the constructors that it calls. */
  private Collection<String> mentioned(CompiledClass.Method in, String descriptor) {
    Set<String> out = new LinkedHashSet<>();
    in.constants.forEach((text, of) -> {
      if (of.equals(descriptor) && !descriptor.equals("I")) {
        out.add(text);
      }
    });
    if (descriptor.equals("Ljava/lang/String;") || descriptor.equals("Ljava/lang/Object;")) {
      in.strings.forEach(s -> out.add(Constants.quoted(s)));
      for (String call : in.calls) {
        CompiledClass made = Reachable.signature(call).startsWith("<init>(") ? graph.find(Reachable.owner(call)) : null;
        CompiledClass.Method constructor = made == null ? null : reach.method(made, Reachable.signature(call));
        if (constructor != null && made.own) {
          constructor.strings.forEach(s -> out.add(Constants.quoted(s)));
        }
      }
    }
    out.remove(null);
    return out;
  }

  /** The arguments of a list in parentheses. */
  private static List<String> divided(String list) {
    List<String> out = new ArrayList<>();
    int begin = 1;
    char quote = 0;
    for (int i = 1; i < list.length(); i++) {
      char c = list.charAt(i);
      if (quote != 0 && c == '\\') {
        i++;
      } else if (quote != 0 ? c == quote : c == '"' || c == '\'') {
        quote = quote == 0 ? c : 0;
      } else if (quote == 0 && (c == ',' || i == list.length() - 1)) {
        out.add(list.substring(begin, i).trim());
        begin = i + 1;
      }
    }
    return out;
  }

  private void add(String statement, String field, int more) {
    Api.Reset r = new Api.Reset();
    if (field != null) {
      r.fields.add(field);
    }
    r.statement = statement;
    r.price = PRICE + more + (field == null ? 0 : 1);
    r.kind = field == null ? "closing" : "saved";
    if (found.size() < most || found.containsKey(field + statement)) {
      found.merge(field + statement, r, (a, b) -> a.price <= b.price ? a : b);
    }
  }
}
