package io.odfix.harness.order;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/**
 * Stack traces as bounded text: the test's own frames, with causes. An exception may be hostile
 * (getMessage that throws, causes in a circle), so its own printStackTrace is never called.
 */
public final class Stacks {
    /** Longest message, in characters. */
    static final int MESSAGE = 16 << 10;
    /** Longest stack trace, in characters. */
    static final int TRACE = 64 << 10;

    private static final String CUT = "…";

    private Stacks() {}

    static String bounded(String text, int max) {
        if (text == null) {
            return "";
        }
        return text.length() <= max ? text : text.substring(0, max) + CUT;
    }

    static String message(Throwable t) {
        try {
            return bounded(t.getMessage(), MESSAGE);
        } catch (Throwable broken) {
            return "(its getMessage threw " + broken.getClass().getName() + ")";
        }
    }

    static String of(Throwable t) {
        StringBuilder out = new StringBuilder();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<Throwable, Boolean>());
        append(out, t, "", seen);
        return bounded(out.toString(), TRACE);
    }

    private static void append(StringBuilder out, Throwable t, String caption, Set<Throwable> seen) {
        for (Throwable x = t; x != null && seen.add(x) && out.length() < TRACE; x = cause(x)) {
            String message = message(x);
            out.append(caption).append(x.getClass().getName());
            if (!message.isEmpty()) {
                out.append(": ").append(message);
            }
            out.append('\n');
            frames(out, x.getStackTrace());
            for (Throwable suppressed : x.getSuppressed()) {
                append(out, suppressed, "Suppressed: ", seen);
            }
            caption = "Caused by: ";
        }
    }

    private static Throwable cause(Throwable t) {
        try {
            return t.getCause();
        } catch (Throwable broken) {
            return null;
        }
    }

    private static void frames(StringBuilder out, StackTraceElement[] frames) {
        int end = end(frames);
        for (int i = 0; i < end && out.length() < TRACE; i++) {
            append(out, frames[i]);
        }
    }

    /**
     * Appends a frame as one line, without class loader and module, which a frame of a live thread
     * would show.
     */
    public static void append(StringBuilder out, StackTraceElement frame) {
        out.append("\tat ").append(frame.getClassName()).append('.').append(frame.getMethodName()).append('(');
        if (frame.isNativeMethod()) {
            out.append("Native Method");
        } else if (frame.getFileName() == null) {
            out.append("Unknown Source");
        } else {
            out.append(frame.getFileName());
            if (frame.getLineNumber() >= 0) {
                out.append(':').append(frame.getLineNumber());
            }
        }
        out.append(")\n");
    }

    /** The index of the first frame of a framework that called the test. */
    static int end(StackTraceElement[] frames) {
        for (int i = 1; i < frames.length; i++) {
            if (isReflection(frames[i]) && calledByFramework(frames, i)) {
                return i;
            }
        }
        int end = frames.length;
        while (end > 1 && frames[end - 1].getClassName().startsWith("io.odfix.harness.")) {
            end--;
        }
        return end;
    }

    /** Jupiter removes its own frames, so the last remaining frames may be the JDK's. */
    private static boolean calledByFramework(StackTraceElement[] frames, int from) {
        for (int i = from; i < frames.length; i++) {
            String caller = frames[i].getClassName();
            if (caller.startsWith("org.junit.") || caller.startsWith("junit.framework.")) {
                return true;
            }
            if (!isReflection(frames[i]) && !caller.startsWith("java.") && !caller.startsWith("io.odfix.harness.")) {
                return false;
            }
        }
        return true;
    }

    private static boolean isReflection(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.startsWith("java.lang.reflect.")
                || name.startsWith("jdk.internal.reflect.")
                || name.startsWith("sun.reflect.")
                || name.startsWith("java.lang.invoke.");
    }
}
