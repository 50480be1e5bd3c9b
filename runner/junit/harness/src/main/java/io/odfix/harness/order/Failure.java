package io.odfix.harness.order;

/** Why a test failed or was skipped, as text of bounded size. */
public final class Failure {
    public static final Failure NONE = new Failure("", "", "");

    public final String type;
    public final String message;
    public final String stack;

    public Failure(String type, String message, String stack) {
        this.type = type;
        this.message = message;
        this.stack = stack;
    }

    /** A reason without an exception, such as that of a disabled test. */
    public static Failure reason(String message) {
        return new Failure("", Stacks.bounded(message, Stacks.MESSAGE), "");
    }

    /**
     * The text of an exception. This method never throws, whatever the exception's own methods do.
     */
    public static Failure of(Throwable t) {
        if (t == null) {
            return NONE;
        }
        String type = t.getClass().getName();
        try {
            return new Failure(type, Stacks.message(t), Stacks.of(t));
        } catch (OutOfMemoryError e) {
            return new Failure(type, "(no memory left to describe the failure)", "");
        }
    }

    /** The first cause of an exception. */
    public static Throwable rootCause(Throwable t) {
        Throwable root = t;
        for (int i = 0; root.getCause() != null && i < 20; i++) {
            root = root.getCause();
        }
        return root;
    }

    /** The same failure with the number of failures of its test. */
    Failure among(int failures) {
        if (failures < 2) {
            return this;
        }
        return new Failure(type, message + "\n(and " + (failures - 1) + " more)", stack);
    }
}
