package io.odfix.state;

/**
 * A piece of static state that is told apart from others: a static field, or something of the whole
 * process.
 */
abstract class ObservedState {
    /** It is the JVM's, and code of the JDK that nobody observes may read it, too. */
    static final int AMBIENT = 1;

    final String name;
    final int flags;
    /** Its number in what is told, or -1 where nothing of it was told yet. */
    int index = -1;
    /** What it held when it was last looked at; valid where {@link #known}. */
    long value;
    boolean known;
    /** The root of captures that it is, or null. */
    Root root;
    /** The number of the mark at which it was last looked at. */
    int checked;

    ObservedState(String name, int flags) {
        this.name = name;
        this.flags = flags;
    }

    /** What it holds now. {@link Graph#whole} is false afterwards where not all of it was seen. */
    abstract long now(Graph graph);

    /** True where it can never hold anything else. */
    boolean constant(Graph graph) {
        return false;
    }

    /** True where it cannot be looked at at present. */
    boolean gone() {
        return false;
    }

    final void baseline(long held) {
        value = held;
        known = true;
    }
}
