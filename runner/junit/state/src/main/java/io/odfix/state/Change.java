package io.odfix.state;

import java.util.ArrayList;
import java.util.List;

/** One place that holds something else than before. */
final class Change {
    final Root root;
    final String path;
    final String before;
    final String after;
    /** The object that changed, by its number in the later capture; -1 where it is none, or not known. */
    final int node;
    /** Other static fields that lead to that object. */
    final List<Root> also = new ArrayList<Root>();

    Change(Root root, String path, String before, String after) {
        this(root, path, before, after, -1);
    }

    Change(Root root, String path, String before, String after, int node) {
        this.root = root;
        this.node = node;
        this.path = path;
        this.before = before;
        this.after = after.equals(before) ? "another " + after : after;
    }

    @Override
    public String toString() {
        return path + ": " + before + " → " + after;
    }
}
