package io.odfix.harness.order;

/**
 * The context class loader of the thread that runs tests. A loader that a test leaves reaches the tests
 * after it, as under Surefire. What odfix itself does between them uses the loader of the class path.
 */
public final class TestThread {
    private static ClassLoader left = own();

    private TestThread() {}

    private static ClassLoader own() {
        return ClassLoader.getSystemClassLoader();
    }

    /** An order begins: what tests of an earlier one left does not reach it. */
    public static void reset() {
        left = own();
        Thread.currentThread().setContextClassLoader(left);
    }

    /** Tests run now. */
    public static void enter() {
        if (left != Thread.currentThread().getContextClassLoader()) {
            Thread.currentThread().setContextClassLoader(left);
        }
    }

    /** They have run. */
    public static void leave() {
        left = Thread.currentThread().getContextClassLoader();
        try {
            Thread.currentThread().setContextClassLoader(own());
        } catch (SecurityException e) {
            return; // a security manager that a test left forbids it, and the tests' results still count
        }
    }
}
