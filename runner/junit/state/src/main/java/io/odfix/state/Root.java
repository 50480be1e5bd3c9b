package io.odfix.state;

/** The start of a capture: a static field, or state of the whole process. */
abstract class Root {
    final String name;
    /** Its place among the roots of a run. */
    int number = -1;
    /**
     * The objects below it when its class was initialised, and its number there. Null if they were
     * not captured.
     */
    Snapshot first;
    int firstNumber;

    Root(String name) {
        this.name = name;
    }

    /** True if it cannot be read now. */
    abstract boolean gone();

    /** The type, where it is primitive, else null. */
    Class<?> primitive() {
        return null;
    }

    /** Its value: an object, or the bits of a primitive as a Long. */
    abstract Object held();

    /** The static field of the project, or null. */
    ObservedState observed() {
        return null;
    }

    /** The names of the root's entries follow a blank, as in {@code system property user.home}. */
    boolean entries() {
        return false;
    }

    /** The name under which the run's segments list an access path of this root. */
    String place(String path) {
        return name;
    }
}
