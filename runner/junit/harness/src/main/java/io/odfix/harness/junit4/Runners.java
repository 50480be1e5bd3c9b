package io.odfix.harness.junit4;

import io.odfix.harness.order.Ids;
import io.odfix.harness.order.Node;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.junit.Ignore;
import org.junit.Test;
import org.junit.runner.Request;
import org.junit.runner.Runner;
import org.junit.runner.notification.RunListener;
import org.junit.runner.notification.RunNotifier;

/** Runners as JUnit itself makes them, and facts about a class before it runs. */
final class Runners {
    private Runners() {}

    /** The runner of a class. For a broken class, it is a runner that reports the error. */
    static Runner of(Class<?> c) {
        return Request.aClass(c).getRunner();
    }

    static boolean isIgnored(Runner runner) {
        return runner.getClass().getSimpleName().equals("IgnoredClassRunner");
    }

    static String whyIgnored(Class<?> c) {
        Ignore ignore = c.getAnnotation(Ignore.class);
        return ignore == null ? "" : ignore.value();
    }

    /** What keeps the class from running at all, or null. */
    static Throwable brokenBy(Runner runner) {
        if (!runner.getClass().getSimpleName().equals("ErrorReportingRunner")) {
            return null;
        }
        final List<Throwable> causes = new ArrayList<Throwable>();
        RunNotifier notifier = new RunNotifier();
        notifier.addListener(new RunListener() {
            @Override
            public void testFailure(org.junit.runner.notification.Failure failure) {
                causes.add(failure.getException());
            }
        });
        runner.run(notifier); // only reports
        return causes.isEmpty() ? new IllegalStateException("the class has no runner") : causes.get(0);
    }

    /** The tests of a class that is ignored as a whole. No runner lists them. */
    static Node ignored(Class<?> c) {
        Node root = Node.group(c.getName(), null, null, null);
        for (Method method : c.getMethods()) {
            if (method.isAnnotationPresent(Test.class)) {
                Node test = Node.test(Ids.of(c.getName(), c.getName(), method.getName()), null, null);
                test.flags = Node.DISABLED;
                root.add(test);
            }
        }
        return root;
    }

    /**
     * True if the class's author chose the order of its methods. The default orders of JUnit and
     * the JVM do not count.
     */
    static boolean fixesOrder(Class<?> c) {
        for (Annotation annotation : c.getAnnotations()) {
            String name = annotation.annotationType().getName();
            if (name.equals("org.junit.runner.OrderWith")
                    || name.equals("org.junit.FixMethodOrder") && annotation.toString().contains("NAME_ASCENDING")) {
                return true;
            }
        }
        return false;
    }

    /**
     * Adds listeners that the build configures ({@code odfix.listeners}: class names separated by
     * commas).
     */
    static void addListeners(RunNotifier notifier) {
        String names = System.getProperty("odfix.listeners", "");
        for (String name : names.split(",")) {
            if (name.trim().isEmpty()) {
                continue;
            }
            try {
                ClassLoader loader = Thread.currentThread().getContextClassLoader();
                notifier.addListener((RunListener) Class.forName(name.trim(), true, loader).getConstructor().newInstance());
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException("the listener " + name.trim() + " cannot be made", e);
            }
        }
    }
}
