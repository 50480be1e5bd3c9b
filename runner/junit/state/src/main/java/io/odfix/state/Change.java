package io.odfix.state;

import java.util.ArrayList;
import java.util.List;

/** One place whose value differs from before. */
final class Change {
    final Root root;
    final String path;
    final String before;
    final String after;
    /**
     * The number of the changed object in the later capture, or -1 if there is none or it is
     * unknown.
     */
    final int node;
    /**
     * The changed part of that object: a dot and the name of a field, an index, or a {@link
     * Difference.Label}. Null if it is unknown.
     */
    final Object slot;
    /** The view through which the path leads to it, by its number, or -1. */
    final int holder;
    /** The line that wrote it, or null. */
    String by;
    /** Other static fields that lead to that object. */
    final List<Root> also = new ArrayList<Root>();

    Change(Root root, String path, String before, String after) {
        this(root, path, before, after, -1, null, -1);
    }

    Change(Root root, String path, String before, String after, int node, Object slot, int holder) {
        this.root = root;
        this.node = node;
        this.slot = slot;
        this.holder = holder;
        this.path = path;
        this.before = before;
        this.after = after.equals(before) ? "another " + after : after;
    }

    @Override
    public String toString() {
        return path + ": " + before + " → " + after;
    }
}
