package io.odfix.state;

import java.util.Arrays;

/**
 * A cache of recent results for classes, in front of a {@link ClassValue}, whose own look-up would
 * take most of the time of a walk. It references classes, so its user empties it between two walks.
 * Not safe for concurrent use.
 */
abstract class RecentCache<T> {
    private static final int PLACES = 256;

    private final Class<?>[] classes = new Class<?>[PLACES];
    private final Object[] found = new Object[PLACES];

    /** The result of the class value. */
    abstract T find(Class<?> c);

    @SuppressWarnings("unchecked")
    final T of(Class<?> c) {
        int at = System.identityHashCode(c) & PLACES - 1;
        if (classes[at] != c) {
            found[at] = find(c);
            classes[at] = c;
        }
        return (T) found[at];
    }

    final void forget() {
        Arrays.fill(classes, null);
        Arrays.fill(found, null);
    }
}
