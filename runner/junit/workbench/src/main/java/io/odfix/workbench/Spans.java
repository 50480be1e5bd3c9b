package io.odfix.workbench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds the lines of moved statements in the changed file, so that a line of the compiler
 * identifies a statement.
 */
final class Spans {
  private Spans() {}

  /**
   * written: lines by statement, in order. Nothing is found if the text has another layout. used: the
   * first lines that were found for the same statements at other places of the file.
   */
  static List<Api.Span> find(Api.File file, Map<ScriptStatement, List<String>> written, Set<Integer> used) {
    List<Api.Span> out = new ArrayList<>();
    List<String> wanted = new ArrayList<>();
    Map<ScriptStatement, int[]> ranges = new LinkedHashMap<>();
    written.forEach((s, lines) -> {
      ranges.put(s, new int[] {wanted.size(), wanted.size() + lines.size() - 1});
      lines.forEach(l -> wanted.add(l.replace(Indent.VERBATIM, "").trim()));
    });
    String[] all = file.text.split("\r\n|\r|\n", -1);
    for (int from = 0; from + wanted.size() <= all.length; from++) {
      if (matches(all, from, wanted) && used.add(from)) {
        int base = from + 1;
        ranges.forEach((s, r) -> out.add(new Api.Span(s.id, file.path, base + r[0], base + r[1])));
        return out;
      }
    }
    return out;
  }

  private static boolean matches(String[] all, int from, List<String> wanted) {
    for (int i = 0; i < wanted.size(); i++) {
      if (!all[from + i].trim().equals(wanted.get(i))) {
        return false;
      }
    }
    return !wanted.isEmpty();
  }
}
