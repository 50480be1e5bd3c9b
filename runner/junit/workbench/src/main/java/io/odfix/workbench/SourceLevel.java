package io.odfix.workbench;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The language level of the project's test sources, where it is below Java 5. */
final class SourceLevel {
  private static final Pattern CLONED_ARRAY = Pattern.compile("(\\S+\\[\\]) (\\w+) = (.*\\.clone\\(\\))");

  private SourceLevel() {}

  /** Whether the options of the compiler ask for a level without annotations and generics. */
  static boolean beforeJava5(Api.RenderRequest r) {
    List<String> args = r instanceof Api.AttemptRequest ? ((Api.AttemptRequest) r).options.args : null;
    String level = "";
    for (int i = 0; args != null && i + 1 < args.size(); i++) {
      if (args.get(i).equals("-source") || args.get(i).equals("--source")) {
        level = args.get(i + 1); // the last one counts, as for javac
      }
    }
    return level.matches("1\\.[1-4](\\.\\d+)*");
  }

  /**
   * Adapts fields that keep state to a level below Java 5, where clone() of an array returns an
   * Object.
   */
  static void adapt(Api.RenderRequest r) {
    if (r.made == null || r.made.fields == null || !beforeJava5(r)) {
      return;
    }
    r.made.fields = r.made.fields.stream().map(SourceLevel::cast).collect(Collectors.toCollection(ArrayList::new));
  }

  private static String cast(String field) {
    Matcher m = CLONED_ARRAY.matcher(field);
    return m.matches() && !m.group(3).startsWith("(") ? m.group(1) + " " + m.group(2) + " = (" + m.group(1) + ") " + m.group(3) : field;
  }
}
