package io.odfix.workbench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Replacements of parts of one text, applied together. Those at the same offset keep their order.
 */
final class Edits {
  private static final class Edit {
    final int start;
    final int end;
    final String text;

    Edit(int start, int end, String text) {
      this.start = start;
      this.end = end;
      this.text = text;
    }
  }

  private final List<Edit> edits = new ArrayList<>();

  void replace(int start, int end, String text) {
    edits.add(new Edit(start, end, text));
  }

  void insert(int at, String text) {
    replace(at, at, text);
  }

  boolean isEmpty() {
    return edits.isEmpty();
  }

  String apply(String text) {
    return apply(text, 0, text.length());
  }

  /** The part of the text between two offsets, with the edits inside it. */
  String apply(String text, int from, int to) {
    // Insertions come first, then the longest edit. An edit inside another one is dropped.
    edits.sort(Comparator.comparingInt((Edit e) -> e.start).thenComparingInt(e -> e.end == e.start ? 0 : 1)
        .thenComparingInt(e -> -e.end));
    StringBuilder out = new StringBuilder(to - from + 64);
    int at = from;
    for (Edit e : edits) {
      if (e.start < at || e.end > to) {
        continue; // outside the part, or inside a part that is already replaced
      }
      out.append(text, at, e.start).append(e.text);
      at = e.end;
    }
    return out.append(text, at, to).toString();
  }
}
