package io.odfix.state;

/** A piece of static state: a static field, or something of the whole process. */
abstract class ObservedState {
    /** It belongs to the JVM, and unobserved code of the JDK may read it, too. */
    static final int AMBIENT = 1;

    final String name;
    final int flags;
    /** Its number in frames, or -1 if it was not announced yet. */
    int index = -1;
    /** A fingerprint of its content at the last comparison. Valid if {@link #known}. */
    long value;
    boolean known;
    /** The root of captures that it is, or null. */
    Root root;
    /** The number of the mark at which it was compared last. */
    int checked;

    ObservedState(String name, int flags) {
        this.name = name;
        this.flags = flags;
    }

    /**
     * A fingerprint of its present content. {@link Graph#whole} is false afterwards if the walk did
     * not visit everything.
     */
    abstract long now(Graph graph);

    /** True if its value can never change. */
    boolean constant(Graph graph) {
        return false;
    }

    /** True if it cannot be read now. */
    boolean gone() {
        return false;
    }

    final void baseline(long held) {
        value = held;
        known = true;
    }
}
