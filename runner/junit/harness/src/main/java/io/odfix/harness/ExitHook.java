package io.odfix.harness;

import io.odfix.harness.order.Stacks;
import io.odfix.harness.wire.Events;
import io.odfix.harness.wire.Frame;
import java.util.Map;

/** Reports that the JVM exits inside a test, and which call made it exit. */
final class ExitHook extends Thread {
    private final Session session;
    private final Events events;

    ExitHook(Session session, Events events) {
        super("odfix-exit");
        this.session = session;
        this.events = events;
    }

    @Override
    public void run() {
        if (!session.isQuitting()) {
            events.sendLast(new Frame('x').i64(session.position()).str(how()));
        }
    }

    /** The thread that called System.exit is still in that call and waits for the hooks. */
    private static String how() {
        try {
            for (Map.Entry<Thread, StackTraceElement[]> entry : getAllStackTraces().entrySet()) {
                StackTraceElement[] frames = entry.getValue();
                int call = exitCall(frames);
                if (call >= 0 && call + 1 < frames.length) {
                    return describe(entry.getKey(), frames, call + 1);
                }
            }
        } catch (SecurityException e) {
            return "System.exit called (a security manager hides by whom)";
        }
        return "the JVM was asked to exit (a signal, or its last thread ended)";
    }

    private static int exitCall(StackTraceElement[] frames) {
        int call = -1;
        for (int i = 0; i < frames.length; i++) {
            String owner = frames[i].getClassName();
            boolean exit = frames[i].getMethodName().equals("exit");
            if (exit && (owner.equals("java.lang.System") || owner.equals("java.lang.Runtime"))) {
                call = i;
            }
        }
        return call;
    }

    private static String describe(Thread thread, StackTraceElement[] frames, int from) {
        StringBuilder out = new StringBuilder("System.exit called in thread ").append(thread.getName()).append('\n');
        for (int i = from; i < frames.length && i < from + 40; i++) {
            Stacks.append(out, frames[i]);
        }
        return out.toString();
    }
}
