package io.odfix.workbench;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The value that a static field has after its class is initialised. */
final class FirstValue {
  /** The JDK's containers that a call of clear() empties. */
  private static final Pattern CLEARED = Pattern.compile(".*(Map|Set|List|Deque|Queue|Vector|Stack|Hashtable|Properties)");

  private FirstValue() {}

  /**
   * The statement that assigns the static field its first value in its own class. Null if that
   * value is not simple, or if the class's initialiser calls a method that assigns another one.
   */
  static String undoing(CompiledClass.Field f) {
    if (f.first == null || assignedByCall(f)) {
      return null;
    }
    boolean made = f.first.startsWith("new ");
    String type = made ? f.first.substring(4, f.first.indexOf('(')) : "";
    if (made && !type.matches("java\\.util\\.([a-z]+\\.)*[A-Z]\\w*") || made && filled(f)) {
      return null; // a class of the project may need more, and an anonymous class has no name
    }
    if (f.isFinal()) {
      return made && CLEARED.matcher(type).matches() ? f.name + ".clear();" : null;
    }
    String simple = type.substring(type.lastIndexOf('.') + 1);
    return f.name + " = " + (made ? "new " + simple + (f.generic == null ? "" : "<>") + "()" : f.first) + ";";
  }

  /**
   * Whether the class's initialiser calls, directly or not, a method of the class that assigns the
   * field.
   */
  private static boolean assignedByCall(CompiledClass.Field f) {
    Set<String> called = new LinkedHashSet<>();
    f.owner.methods.stream().filter(m -> m.name.equals("<clinit>")).forEach(m -> called.addAll(m.calls));
    List<String> open = new ArrayList<>(called);
    while (!open.isEmpty()) {
      String call = open.remove(0);
      for (CompiledClass.Method m : f.owner.methods) {
        if (m.key().equals(call) && m.puts.contains(f.key())) {
          return true;
        }
        if (m.key().equals(call)) {
          m.calls.stream().filter(called::add).forEach(open::add);
        }
      }
    }
    return false;
  }

  /** Whether the class's initialiser may put something into the field's object. */
  private static boolean filled(CompiledClass.Field f) {
    return f.owner.methods.stream().filter(m -> m.name.equals("<clinit>")).anyMatch(m -> m.gets.contains(f.key()));
  }
}
