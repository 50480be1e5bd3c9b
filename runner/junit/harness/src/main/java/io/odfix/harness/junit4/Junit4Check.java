package io.odfix.harness.junit4;

import io.odfix.harness.junit3.Junit3Check;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.junit.Test;
import org.junit.runner.RunWith;

/** Which classes Surefire's JUnit 4 provider, or the Vintage engine, takes for tests. */
final class Junit4Check {
    private Junit4Check() {}

    static boolean accepts(Class<?> c) {
        if (Modifier.isAbstract(c.getModifiers())) {
            return false;
        }
        return Junit3Check.accepts(c) || c.isAnnotationPresent(RunWith.class) || hasTest(c);
    }

    /** Vintage takes public classes only, and leaves the bridge from the other side to the Platform. */
    static boolean acceptsVintage(Class<?> c) {
        if (!Modifier.isPublic(c.getModifiers()) || c.isMemberClass() && !Modifier.isStatic(c.getModifiers())) {
            return false;
        }
        RunWith with = c.getAnnotation(RunWith.class);
        boolean bridge = with != null && with.value().getName().equals("org.junit.platform.runner.JUnitPlatform");
        return !bridge && accepts(c);
    }

    /** True where a runner decides what the class holds: nested classes may be tests of it. */
    static boolean isComposite(Class<?> c) {
        return !Modifier.isAbstract(c.getModifiers())
                && (c.isAnnotationPresent(RunWith.class) || Junit3Check.hasSuite(c));
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
