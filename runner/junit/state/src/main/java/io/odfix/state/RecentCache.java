package io.odfix.state;

import java.util.Arrays;

/**
 * What was lately found for a class, in front of a {@link ClassValue}, whose own look-up is what a
 * walk would otherwise spend most of its time with. It holds classes, so that whoever has it lets
 * them go between two looks. Not safe for concurrent use.
 */
abstract class RecentCache<T> {
    private static final int PLACES = 256;

    private final Class<?>[] classes = new Class<?>[PLACES];
    private final Object[] found = new Object[PLACES];

    /** As the class value has it. */
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
