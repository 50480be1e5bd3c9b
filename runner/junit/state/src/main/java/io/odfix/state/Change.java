package io.odfix.state;

/** One place that holds something else than before. */
final class Change {
    final Root root;
    final String path;
    final String before;
    final String after;

    Change(Root root, String path, String before, String after) {
        this.root = root;
        this.path = path;
        this.before = before;
        this.after = after.equals(before) ? "another " + after : after;
    }

    @Override
    public String toString() {
        return path + ": " + before + " → " + after;
    }
}
