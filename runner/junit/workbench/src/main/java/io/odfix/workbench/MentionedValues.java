package io.odfix.workbench;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Arguments that code mentions: the tests, and what gives a field its first value. */
final class MentionedValues {
  /** The maximal number of constants of each type from the static initializer of the field's class. */
  private static final int FIRST = 3;

  /** The end of a call of a constructor without parameters. */
  private static final String NEW = ".<init>()V";

  private final ClassGraph graph;
  private final Values values;

  MentionedValues(ClassGraph graph, Values values) {
    this.graph = graph;
    this.values = values;
  }

  /** Strings that a class mentions. */
  static void strings(ClassGraph graph, String internal, List<String> to, int most) {
    CompiledClass test = graph.find(internal);
    if (test == null) {
      return;
    }
    Set<String> texts = new LinkedHashSet<>(to);
    for (CompiledClass c : graph.lineage(test)) {
      c.methods.forEach(m -> m.strings.stream().map(Constants::quoted).filter(t -> t != null).forEach(texts::add));
    }
    to.clear();
    texts.stream().limit(most).forEach(to::add);
  }

  /**
   * Strings that a test itself mentions. The statement may have to remove what the test registered
   * by them.
   */
  static void strings(ClassGraph graph, TestId test, List<String> to) {
    for (CompiledClass.Method m : methods(graph, test)) {
      m.strings.stream().map(Constants::quoted).filter(t -> t != null).forEach(to::add);
    }
  }

  private static List<CompiledClass.Method> methods(ClassGraph graph, TestId test) {
    List<CompiledClass.Method> out = new ArrayList<>();
    CompiledClass c = graph.find(test.type.replace('.', '/'));
    for (CompiledClass x : c == null ? new ArrayList<CompiledClass>() : graph.lineage(c)) {
      x.methods.stream().filter(m -> m.name.equals(test.method)).forEach(out::add);
    }
    return out;
  }

  /** Numbers, classes and constants of enums that a test itself mentions. */
  void by(TestId test) {
    for (CompiledClass.Method m : methods(graph, test)) {
      m.constants.forEach((text, descriptor) -> values.used(descriptor, text));
    }
  }

  /** Numbers, classes and constants of enums in the static initializer of the field's class. */
  void first(CompiledClass.Field field) {
    Map<String, Integer> count = new HashMap<>();
    for (CompiledClass.Method m : field.owner.methods) {
      if (m.name.equals("<clinit>")) {
        m.constants.forEach((text, descriptor) -> {
          if (count.merge(descriptor, 1, Integer::sum) <= FIRST) {
            values.used(descriptor, text);
          }
        });
      }
    }
  }

  /**
   * Objects with which the code begins that puts the field, or constructs its object: {@code new Service(new
   * OfflineGateway())}. A test may have set another one.
   */
  void made(CompiledClass.Field field) {
    Set<CompiledClass> code = new LinkedHashSet<>();
    code.add(field.owner);
    CompiledClass type = field.descriptor.startsWith("L") ? graph.find(field.descriptor.substring(1, field.descriptor.length() - 1)) : null;
    if (type != null) {
      code.add(type);
    }
    for (CompiledClass c : code) {
      for (CompiledClass.Method m : c.methods) {
        if (m.name.equals("<clinit>") || m.constructs() || m.puts.contains(field.key())) {
          m.calls.stream().filter(call -> call.endsWith(NEW)).map(call -> graph.find(call.substring(0, call.length() - NEW.length())))
              .filter(made -> made != null && !code.contains(made) && made.own && constructible(made))
              .forEach(made -> graph.lineage(made).forEach(t -> values.used("L" + t.name + ";", "new " + made.source() + "()")));
        }
      }
    }
  }

  /** Whether a test can construct the class without arguments. */
  private boolean constructible(CompiledClass c) {
    return !Modifier.isAbstract(c.access) && !(c.inner && c.outer != null)
        && c.methods.stream().anyMatch(m -> m.constructs() && m.descriptor.equals("()V") && values.visible(c, m.access));
  }
}
