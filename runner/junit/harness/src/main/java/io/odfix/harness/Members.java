package io.odfix.harness;

import io.odfix.harness.order.Ids;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;

/** Facts about a class and its methods without a framework. Annotations are found by name. */
final class Members {
    private Members() {}

    /** The method in an id, without parameters, index or occurrence. */
    static String methodName(String id) {
        String method = Ids.method(id);
        for (int i = 0; i < method.length(); i++) {
            if ("([~".indexOf(method.charAt(i)) >= 0) {
                return method.substring(0, i);
            }
        }
        return method;
    }

    /**
     * True if the id names a test that the class certainly does not have: its tests are its
     * methods, and no method has this name. Runners and suites may invent names.
     */
    static boolean lacks(Class<?> c, String id) {
        String name = methodName(id);
        boolean plain = !Ids.throughSuite(id) && isIdentifier(name) && !hasAnnotation(c, "org.junit.runner.RunWith");
        return plain && hasAnnotatedTest(c) && !hasMethod(c, name);
    }

    private static boolean isIdentifier(String name) {
        for (int i = 0; i < name.length(); i++) {
            if (!Character.isJavaIdentifierPart(name.charAt(i))) {
                return false;
            }
        }
        return !name.isEmpty();
    }

    private static boolean hasAnnotation(Class<?> c, String type) {
        for (Annotation annotation : c.getAnnotations()) {
            if (annotation.annotationType().getName().equals(type)) {
                return true;
            }
        }
        return false;
    }

    private static boolean hasAnnotatedTest(Class<?> c) {
        for (Method method : c.getDeclaredMethods()) {
            for (Annotation annotation : method.getAnnotations()) {
                String name = annotation.annotationType().getName();
                if (name.equals("org.junit.Test") || name.startsWith("org.junit.jupiter.")) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean hasMethod(Class<?> c, String name) {
        if (c == null) {
            return false;
        }
        for (Method method : c.getDeclaredMethods()) {
            if (method.getName().equals(name)) {
                return true;
            }
        }
        for (Class<?> each : c.getInterfaces()) {
            if (hasMethod(each, name)) {
                return true;
            }
        }
        return hasMethod(c.getSuperclass(), name);
    }

    /** True if the class belongs to TestNG, by its annotations. */
    static boolean isTestNg(Class<?> c) {
        for (Class<?> at = c; at != null && at != Object.class; at = at.getSuperclass()) {
            if (hasAnnotation(at, "org.testng.annotations.Test")) {
                return true;
            }
            for (Method method : at.getDeclaredMethods()) {
                for (Annotation annotation : method.getAnnotations()) {
                    if (annotation.annotationType().getName().equals("org.testng.annotations.Test")) {
                        return true;
                    }
                }
            }
        }
        return false;
    }

    static boolean isSpock(Class<?> c) {
        for (Class<?> at = c; at != null; at = at.getSuperclass()) {
            if (at.getName().equals("spock.lang.Specification")) {
                return true;
            }
        }
        return false;
    }
}
