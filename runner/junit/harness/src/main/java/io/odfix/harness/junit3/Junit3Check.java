package io.odfix.harness.junit3;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;

/** Which classes Surefire accepts as JUnit 3 tests. */
public final class Junit3Check {
    private Junit3Check() {}

    public static boolean accepts(Class<?> c) {
        return !Modifier.isAbstract(c.getModifiers()) && (Test.class.isAssignableFrom(c) || hasSuite(c));
    }

    /**
     * True if the class's suite() method returns nothing but the tests that the class has without
     * that method, in whatever order: {@code return new TestSuite(X.class);} in X. Such a method
     * fixes no order.
     */
    public static boolean holdsOwnTests(Class<?> c, Test test) {
        if (test == null || test.getClass() != TestSuite.class || !TestCase.class.isAssignableFrom(c)) {
            return false;
        }
        List<String> names = names(c, (TestSuite) test);
        try {
            return names != null && names.equals(names(c, new TestSuite(c.asSubclass(TestCase.class))));
        } catch (Throwable t) { // a constructor of the class failed
            return false;
        }
    }

    /** The sorted names of a suite's tests. Null if it holds anything but tests of the class. */
    private static List<String> names(Class<?> c, TestSuite suite) {
        List<String> names = new ArrayList<String>();
        for (Enumeration<?> all = suite.tests(); all.hasMoreElements(); ) {
            Object test = all.nextElement();
            String name = test.getClass() == c ? ((TestCase) test).getName() : null;
            if (name == null) {
                return null;
            }
            names.add(name);
        }
        Collections.sort(names);
        return names;
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
