package io.odfix.harness.platform;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;

/**
 * Reads Jupiter's annotations by name, because Jupiter is not on odfix's class path, and not always
 * on the project's.
 */
public final class Declared {
    private static final String JUPITER = "org.junit.jupiter.api.";

    private Declared() {}

    /**
     * True if the method or a class around it has {@code @Disabled}. Conditions are evaluated only
     * when the test runs.
     */
    static boolean isDisabled(TestDescriptor descriptor) {
        for (TestDescriptor d = descriptor; d != null; d = d.getParent().orElse(null)) {
            AnnotatedElement element = element(d.getSource().orElse(null));
            if (element != null && find(element, JUPITER + "Disabled") != null) {
                return true;
            }
        }
        return false;
    }

    /** True if the class asks for an order of its methods other than a random one. */
    static boolean fixesOrder(Class<?> c) {
        Annotation order = find(c, JUPITER + "TestMethodOrder");
        return order != null && !order.toString().contains("MethodOrderer$Random")
                && !order.toString().contains("MethodOrderer.Random");
    }

    /**
     * True if the class has a test method of an engine. If name is not null, the method must have
     * this name.
     */
    public static boolean hasTest(Class<?> c, String method) {
        for (Class<?> at = c; at != null && at != Object.class; at = at.getSuperclass()) {
            for (Method each : at.getDeclaredMethods()) {
                if ((method == null || each.getName().equals(method)) && isTest(each)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static boolean isTest(Method method) {
        for (Annotation annotation : method.getAnnotations()) {
            if (find(annotation.annotationType(), "org.junit.platform.commons.annotation.Testable") != null) {
                return true;
            }
        }
        return false;
    }

    /**
     * The annotation of that name on the element, or on one of its annotations up to a small depth.
     */
    private static Annotation find(AnnotatedElement element, String name) {
        return find(element, name, 3);
    }

    private static Annotation find(AnnotatedElement element, String name, int depth) {
        for (Annotation annotation : element.getAnnotations()) {
            Class<? extends Annotation> type = annotation.annotationType();
            if (type.getName().equals(name)) {
                return annotation;
            }
            Annotation meta = depth == 0 || type.getName().startsWith("java.") ? null : find(type, name, depth - 1);
            if (meta != null) {
                return meta;
            }
        }
        return null;
    }

    private static AnnotatedElement element(TestSource source) {
        try {
            if (source instanceof ClassSource) {
                return ((ClassSource) source).getJavaClass();
            }
            return source instanceof MethodSource ? method((MethodSource) source) : null;
        } catch (RuntimeException e) {
            return null; // a class that was not compiled from these annotations
        }
    }

    /**
     * MethodSource.getJavaMethod exists only since 1.7. For a flag, the name and the number of
     * parameters are enough.
     */
    private static Method method(MethodSource source) {
        String types = source.getMethodParameterTypes();
        int count = types == null || types.trim().isEmpty() ? 0 : types.split(",").length;
        ClassLoader loader = Thread.currentThread().getContextClassLoader();
        try {
            for (Class<?> at = Class.forName(source.getClassName(), false, loader); at != null; at = at.getSuperclass()) {
                for (Method each : at.getDeclaredMethods()) {
                    if (each.getName().equals(source.getMethodName()) && each.getParameterTypes().length == count) {
                        return each;
                    }
                }
            }
        } catch (ClassNotFoundException e) {
            return null;
        }
        return null;
    }
}
