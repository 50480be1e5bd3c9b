package io.odfix.workbench;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** Calls that empty, set back or end an object of the JDK or of a library, whose code is not searched. */
final class Emptying {
  /**
   * The price of ending an object. It is lower than the price of assigning the former value, after
   * which nothing would refer to what still runs.
   */
  private static final int ENDING = 3;

  /** Methods of a library's object that may empty it, such as invalidateAll of Caffeine, and how many. */
  private static final String OF_LIBRARY = "(remove|invalidate|evict|reset|clear|unregister|deregister)(All\\w*|ToDefault\\w*)?";
  private static final int MOST = 5;

  private Emptying() {}

  /** The calls on an object of the class, with their dots, and their prices. */
  static Map<String, Integer> calls(Types types, String internal) {
    Map<String, Integer> out = new LinkedHashMap<>();
    TypeInfo t = types.find(internal.replace('/', '.'));
    if (t == null) {
      return out;
    }
    Set<String> names = ClosingStatements.plain(types, t);
    for (String n : new String[] {"clear", "reset", "remove"}) {
      if (names.contains(n)) {
        out.put("." + n + "()", 4);
      }
    }
    if (!internal.startsWith("java/")) {
      names.stream().filter(n -> n.matches(OF_LIBRARY)).sorted().limit(MOST).forEach(n -> out.putIfAbsent("." + n + "()", 5));
    }
    // An object that runs or is open is closed, not only replaced.
    String end = ClosingStatements.call(names, internal);
    if (end != null) {
      out.put(end, ENDING);
    }
    String simple = internal.substring(internal.lastIndexOf('/') + 1);
    if (simple.startsWith("Atomic") && !simple.endsWith("Array") && !simple.contains("Updater")) {
      String zero = simple.equals("AtomicBoolean") ? "false" : simple.equals("AtomicReference") ? "null" : "0";
      out.put(".set(" + zero + ")", 5);
    } else if (simple.equals("StringBuilder") || simple.equals("StringBuffer")) {
      out.put(".setLength(0)", 5);
    }
    return out;
  }
}
