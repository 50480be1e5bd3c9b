package io.odfix.state;

/** Whether the tests have set somebody to watch what code may do. */
final class Guard {
    private Guard() {}

    @SuppressWarnings("removal")
    static boolean none() {
        return System.getSecurityManager() == null;
    }
}
