package io.odfix.state;

/** Where captures begin: a static field, or something of the whole process. */
abstract class Root {
    final String name;
    /** Its place among the roots of a run. */
    int number = -1;
    /**
     * What it led to when its class was initialised, and its number in there; null where that was
     * not seen.
     */
    Snapshot first;
    int firstNumber;

    Root(String name) {
        this.name = name;
    }

    /** True where it cannot be read now. */
    abstract boolean gone();

    /** The type, where it is primitive, else null. */
    Class<?> primitive() {
        return null;
    }

    /** What it holds: an object, or the bits of a primitive as a Long. */
    abstract Object held();

    /** The static field of the project that it is, or null. */
    ObservedState observed() {
        return null;
    }

    /** Entries of the root are named after a blank, as in {@code system property user.home}. */
    boolean entries() {
        return false;
    }

    /** The name of the place in the run's segments that an access path of this root belongs to. */
    String place(String path) {
        return name;
    }
}
