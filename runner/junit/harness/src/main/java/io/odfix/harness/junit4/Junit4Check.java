package io.odfix.harness.junit4;

import io.odfix.harness.junit3.Junit3Check;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.BlockJUnit4ClassRunner;
import org.junit.runners.Parameterized;

/** Which classes Surefire's JUnit 4 provider, or the Vintage engine, accepts as tests. */
final class Junit4Check {
    private Junit4Check() {}

    static boolean accepts(Class<?> c) {
        if (Modifier.isAbstract(c.getModifiers())) {
            return false;
        }
        return Junit3Check.accepts(c) || c.isAnnotationPresent(RunWith.class) || hasTest(c);
    }

    /**
     * Vintage accepts public classes only, and leaves classes with the runner JUnitPlatform to the
     * Platform.
     */
    static boolean acceptsVintage(Class<?> c) {
        if (!Modifier.isPublic(c.getModifiers()) || c.isMemberClass() && !Modifier.isStatic(c.getModifiers())) {
            return false;
        }
        RunWith with = c.getAnnotation(RunWith.class);
        boolean bridge = with != null && with.value().getName().equals("org.junit.platform.runner.JUnitPlatform");
        return !bridge && accepts(c);
    }

    /**
     * True if a runner decides what the class holds, so that nested classes may be tests of it.
     */
    static boolean mayHoldNested(Class<?> c) {
        if (Modifier.isAbstract(c.getModifiers())) {
            return false;
        }
        RunWith with = c.getAnnotation(RunWith.class);
        if (with == null) {
            return Junit3Check.hasSuite(c);
        }
        // These runners have methods only, also in classes derived from them.
        return !BlockJUnit4ClassRunner.class.isAssignableFrom(with.value())
                && !Parameterized.class.isAssignableFrom(with.value());
    }

    private static boolean hasTest(Class<?> c) {
        for (Class<?> at = c; at != null && at != Object.class; at = at.getSuperclass()) {
            for (Method method : at.getDeclaredMethods()) {
                for (Annotation annotation : method.getAnnotations()) {
                    if (annotation.annotationType() == Test.class) {
                        return true;
                    }
                }
            }
        }
        return false;
    }
}
