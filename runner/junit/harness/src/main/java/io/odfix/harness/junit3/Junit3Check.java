package io.odfix.harness.junit3;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import junit.framework.Test;

/** Which classes Surefire accepts as JUnit 3 tests. */
public final class Junit3Check {
    private Junit3Check() {}

    public static boolean accepts(Class<?> c) {
        return !Modifier.isAbstract(c.getModifiers()) && (Test.class.isAssignableFrom(c) || hasSuite(c));
    }

    /** True for a {@code public static Test suite()}, also an inherited one. */
    public static boolean hasSuite(Class<?> c) {
        try {
            Method suite = c.getMethod("suite");
            return Modifier.isStatic(suite.getModifiers()) && Test.class.isAssignableFrom(suite.getReturnType());
        } catch (NoSuchMethodException e) {
            return false;
        }
    }
}
