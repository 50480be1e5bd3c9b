package io.odfix.harness.wire;

/** Ends the process, also if a test installed a security manager that forbids it. */
public final class ProcessEnd {
    private ProcessEnd() {}

    /** Ends the process at once, without shutdown hooks. */
    public static void now(int status) {
        try {
            Runtime.getRuntime().halt(status);
        } catch (SecurityException e) {
            dismissSecurityManager();
            Runtime.getRuntime().halt(status);
        }
    }

    /** Ends the process as System.exit does. */
    public static void orderly(int status) {
        try {
            Runtime.getRuntime().exit(status);
        } catch (SecurityException e) {
            dismissSecurityManager();
            Runtime.getRuntime().exit(status);
        }
    }

    /**
     * Removes a security manager. Managers that tests install to catch System.exit allow their own
     * removal, because the test could not restore the original otherwise.
     */
    private static void dismissSecurityManager() {
        try {
            System.class.getMethod("setSecurityManager", Class.forName("java.lang.SecurityManager"))
                    .invoke(null, (Object) null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the tests' security manager keeps the process alive", e);
        }
    }
}
