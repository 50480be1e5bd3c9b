package io.odfix.workbench;

import java.util.ArrayList;
import java.util.List;

/**
 * One known difference below a static field: the parsed path to it, and the descriptions of the
 * values before and now.
 */
final class KnownDifference {
  /** One step: a field's name, or the key, element or index after it. */
  static final class Step {
    final boolean key;
    final String text;

    Step(boolean key, String text) {
      this.key = key;
      this.text = text;
    }
  }

  final List<Step> steps;
  /** The description of the wanted value; {@link DescribedValue#ABSENT} if there was none. */
  final String wanted;
  /** The description of the present value. */
  final String found;

  private KnownDifference(List<Step> steps, String wanted, String found) {
    this.steps = steps;
    this.wanted = wanted;
    this.found = found;
  }

  /** Null if the path cannot be followed. place is the static field, as in the path. */
  static KnownDifference of(String place, Api.Change change, boolean sets) {
    if (change == null || change.path == null || !change.path.startsWith(place)) {
      return null;
    }
    List<Step> steps = steps(change.path.substring(place.length()));
    String before = change.before == null ? "" : change.before;
    String after = change.after == null ? "" : change.after;
    // If both descriptions are equal, the agent calls the later value "another X".
    return steps == null ? null : sets ? new KnownDifference(steps, after, before) : new KnownDifference(steps, before, after);
  }

  /** The last step, or null if the field itself differs. */
  Step last() {
    return steps.isEmpty() ? null : steps.get(steps.size() - 1);
  }

  /** The name of the last field in the path below the static field, or null if there is none. */
  String field() {
    for (int i = steps.size() - 1; i >= 0; i--) {
      if (!steps.get(i).key) {
        return steps.get(i).text;
      }
    }
    return null;
  }

  /** Whether the method puts the field at the end of the path. root is the start of the path. */
  boolean puts(CompiledClass.Field root, CompiledClass.Method m) {
    if (last() == null) {
      return m.puts.contains(root.key());
    }
    return !last().key && m.sets.stream().anyMatch(s -> s.endsWith("." + last().text));
  }

  boolean added() {
    return wanted.equals(DescribedValue.ABSENT);
  }

  boolean gone() {
    return found.equals(DescribedValue.ABSENT);
  }

  private static List<Step> steps(String rest) {
    List<Step> out = new ArrayList<>();
    for (int i = 0; i < rest.length();) {
      int end = rest.charAt(i) == '[' ? keyEnd(rest, i + 1) : nameEnd(rest, i + 1);
      boolean key = rest.charAt(i) == '[';
      String text = end < 0 ? "" : rest.substring(i + 1, end);
      if (text.isEmpty() || !key && (rest.charAt(i) != '.' || !Types.isName(text))) {
        return null;
      }
      out.add(new Step(key, text));
      i = key ? end + 1 : end;
    }
    return out;
  }

  private static int nameEnd(String s, int from) {
    int end = from;
    while (end < s.length() && Character.isJavaIdentifierPart(s.charAt(end))) {
      end++;
    }
    return end;
  }

  /** The bracket after a key; one within a text does not count. */
  private static int keyEnd(String s, int from) {
    char quote = from < s.length() && (s.charAt(from) == '"' || s.charAt(from) == '\'') ? s.charAt(from) : 0;
    for (int i = quote == 0 ? from : from + 1; i < s.length(); i++) {
      if (quote != 0 && s.charAt(i) == '\\') {
        i++;
      } else if (quote != 0 && s.charAt(i) == quote) {
        return i + 1 < s.length() && s.charAt(i + 1) == ']' ? i + 1 : -1;
      } else if (quote == 0 && s.charAt(i) == ']') {
        return i;
      }
    }
    return -1;
  }
}
