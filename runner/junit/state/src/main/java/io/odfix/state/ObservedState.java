package io.odfix.state;

/** A piece of static state: a static field, or something of the whole process. */
abstract class ObservedState {
    /** It belongs to the JVM, and code of the JDK that is not observed may read it, too. */
    static final int AMBIENT = 1;

    final String name;
    final int flags;
    /** Its number in frames, or -1 where it was not announced yet. */
    int index = -1;
    /** Its content at the last comparison, as a fingerprint; valid where {@link #known}. */
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
     * The fingerprint of its present content. {@link Graph#whole} is false afterwards where not all
     * of it was seen.
     */
    abstract long now(Graph graph);

    /** True where it can never hold anything else. */
    boolean constant(Graph graph) {
        return false;
    }

    /** True where it cannot be read now. */
    boolean gone() {
        return false;
    }

    final void baseline(long held) {
        value = held;
        known = true;
    }
}
