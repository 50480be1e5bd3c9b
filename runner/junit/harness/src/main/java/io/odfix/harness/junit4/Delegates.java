package io.odfix.harness.junit4;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.junit.internal.runners.JUnit38ClassRunner;
import org.junit.runner.Runner;
import org.junit.runners.ParentRunner;

/**
 * Finds the runner inside a runner that wraps it (Mockito's keeps one two objects deep). The inner
 * runner describes the same tests in the same order.
 */
final class Delegates {
    private static final int DEPTH = 3;

    private Delegates() {}

    /** The runner inside, or null. */
    static Runner find(Runner outer) {
        Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<Object, Boolean>());
        return find(outer, outer, DEPTH, seen);
    }

    private static Runner find(Runner outer, Object at, int depth, Set<Object> seen) {
        if (at == null || depth < 0 || !seen.add(at)) {
            return null;
        }
        if (at != outer && (at instanceof ParentRunner || at instanceof JUnit38ClassRunner)
                && Names.tests(((Runner) at).getDescription()).equals(Names.tests(outer.getDescription()))) {
            return (Runner) at;
        }
        for (Class<?> c = at.getClass(); c != null && !isForeign(c); c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                Runner found = find(outer, value(field, at), depth - 1, seen);
                if (found != null) {
                    return found;
                }
            }
        }
        return null;
    }

    private static boolean isForeign(Class<?> c) {
        return c.getName().startsWith("java.") || c.getName().startsWith("jdk.") || c.isArray();
    }

    private static Object value(Field field, Object at) {
        if (Modifier.isStatic(field.getModifiers()) || field.getType().isPrimitive() || isForeign(field.getType())) {
            return null;
        }
        try {
            field.setAccessible(true);
            return field.get(at);
        } catch (IllegalAccessException | RuntimeException e) {
            return null; // a module that is closed to odfix
        }
    }
}
