package io.odfix.harness;

import io.odfix.harness.order.Stacks;
import io.odfix.harness.wire.Command;
import io.odfix.harness.wire.ProcessEnd;
import io.odfix.harness.wire.Events;
import io.odfix.harness.wire.Frame;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.Map;

/**
 * Reads commands while the process lives. It answers requests for stack dumps itself, while tests
 * run. It ends the process when the pipe ends, so that no process outlives its parent.
 */
final class CommandReader extends Thread {
    private static final int LONGEST_DUMP = 1 << 20;
    private static final long LONGEST_EXIT = 60L * 1000 * 1000 * 1000; // nanoseconds

    private final InputStream in;
    private final Events events;
    private final ArrayDeque<Command> waiting = new ArrayDeque<Command>();

    CommandReader(InputStream in, Events events) {
        super("odfix-commands");
        this.in = in;
        this.events = events;
        setDaemon(true);
    }

    @Override
    public void run() {
        try {
            for (Command command = Command.read(in); command != null; command = Command.read(in)) {
                accept(command);
                if (command.type() == 'Q') {
                    waitForExit();
                    return;
                }
            }
        } catch (IOException e) {
            System.err.println("odfix harness: " + e.getMessage());
        } finally {
            ProcessEnd.now(1);
        }
    }

    /**
     * Waits for the end outside of any read. When a JVM exits, it gives a thread in native code 300
     * ms to return, which would be the larger part of a short question. Shutdown hooks have time to
     * run.
     */
    private static void waitForExit() {
        long end = System.nanoTime() + LONGEST_EXIT;
        while (System.nanoTime() < end) {
            try {
                sleep(1000);
            } catch (InterruptedException e) {
                continue; // interrupted by a hook that ends all threads it finds
            }
        }
    }

    private void accept(Command command) {
        if (command.type() == 'T') {
            events.send(new Frame('t').str(stacks()));
            return;
        }
        synchronized (waiting) {
            waiting.add(command);
            waiting.notifyAll();
        }
    }

    /** Returns the next command. An interrupt that a test left does not end the wait. */
    Command take() {
        synchronized (waiting) {
            while (waiting.isEmpty()) {
                try {
                    waiting.wait();
                } catch (InterruptedException e) {
                    continue; // the interrupt was for a test that has ended
                }
            }
            return waiting.remove();
        }
    }

    private static String stacks() {
        StringBuilder out = new StringBuilder();
        try {
            for (Map.Entry<Thread, StackTraceElement[]> entry : getAllStackTraces().entrySet()) {
                Thread thread = entry.getKey();
                out.append('"').append(thread.getName()).append('"');
                out.append(thread.isDaemon() ? " daemon " : " ").append(thread.getState()).append('\n');
                for (StackTraceElement frame : entry.getValue()) {
                    Stacks.append(out, frame);
                }
                out.append('\n');
                if (out.length() > LONGEST_DUMP) {
                    return out.append("…").toString();
                }
            }
        } catch (SecurityException e) {
            out.append("the tests' security manager forbids to look at threads: ").append(e.getMessage());
        }
        return out.toString();
    }
}
