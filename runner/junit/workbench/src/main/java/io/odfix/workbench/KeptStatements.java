package io.odfix.workbench;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The chosen part of a script. A compound alone is kept whole; together with some of its inner
 * statements it keeps only those; an inner statement without its compound is kept by itself.
 */
final class KeptStatements {
  private final Map<String, ScriptStatement> byId = new HashMap<>();
  private final Map<ScriptStatement, Integer> position = new HashMap<>();
  private final Map<ScriptStatement, Integer> index = new LinkedHashMap<>();
  private final Set<ScriptStatement> chosen = new HashSet<>();
  private final boolean switched;

  KeptStatements(List<ScriptStatement> script, List<String> ids, boolean switched, boolean close, Target sharing) {
    this.switched = switched;
    script.forEach(s -> s.walk(x -> {
      byId.put(x.id, x);
      position.put(x, position.size());
    }));
    for (String id : ids == null ? new ArrayList<String>() : ids) {
      ScriptStatement s = byId.get(id);
      if (s == null || s.parent != null && Made.is(s.lexical.self)) { // a made statement is kept whole
        throw new Problem("no-statement", "there is no statement " + id
            + "; ask for the script again, the sources may have changed");
      }
      index.putIfAbsent(s, index.size());
      chosen.add(s);
    }
    if (close) {
      new ArrayList<>(index.keySet()).forEach(s -> close(s, sharing));
    }
  }

  private void close(ScriptStatement s, Target sharing) {
    List<ScriptStatement> on = new ArrayList<>(s.needs);
    for (ScriptStatement n : s.needsState) {
      if (sharing == null || !sharing.isInstanceOf(n.lexical.self)) {
        on.add(n);
      }
    }
    for (ScriptStatement n : on) {
      if (!covered(n) && chosen.add(n)) {
        close(n, sharing);
      }
    }
  }

  /** Whether it, or a compound around it that is kept whole, is kept already. */
  private boolean covered(ScriptStatement s) {
    for (ScriptStatement p = s; p != null; p = p.parent) {
      if (chosen.contains(p) && (p == s || p.inner.stream().noneMatch(this::touches))) {
        return true;
      }
    }
    return false;
  }

  private boolean inside(ScriptStatement s) {
    for (ScriptStatement p = s.parent; p != null; p = p.parent) {
      if (chosen.contains(p)) {
        return true;
      }
    }
    return false;
  }

  /** The statements to write, in script order: statements inside a kept compound come with it. */
  List<ScriptStatement> roots() {
    List<ScriptStatement> out = new ArrayList<>();
    for (ScriptStatement s : chosen) {
      if (!inside(s)) {
        out.add(s);
      }
    }
    out.sort(Comparator.comparing(position::get));
    return out;
  }

  List<String> ids() {
    List<ScriptStatement> all = new ArrayList<>(chosen);
    all.sort(Comparator.comparing(position::get));
    List<String> out = new ArrayList<>();
    all.forEach(s -> out.add(s.id));
    return out;
  }

  /** The number of the statement's switch, or null if it is not switched. */
  Integer index(ScriptStatement s) {
    return switched ? index.get(s) : null;
  }

  /** The inner statements that a compound kept in part goes without. */
  List<ScriptStatement> left(ScriptStatement compound) {
    List<ScriptStatement> gone = new ArrayList<>();
    boolean some = compound.inner.stream().anyMatch(this::touches);
    if (some) {
      compound.inner.stream().filter(i -> !touches(i)).forEach(gone::add);
      compound.inner.stream().filter(this::touches).forEach(i -> gone.addAll(left(i)));
    }
    return gone;
  }

  private boolean touches(ScriptStatement s) {
    return chosen.contains(s) || s.inner.stream().anyMatch(this::touches);
  }
}
