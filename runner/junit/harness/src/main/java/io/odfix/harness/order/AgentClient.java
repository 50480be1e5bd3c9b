package io.odfix.harness.order;

import io.odfix.harness.wire.Events;
import io.odfix.harness.wire.Frame;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;

/**
 * Reports to the agent which test runs. The agent observes static state, and is in the bootstrap
 * class loader. In a process without the agent, nothing happens.
 */
final class AgentClient {
    private static final Class<?> API = find();
    private static final Method MARK = API == null ? null : method("mark", char.class, long.class);

    private final Events events;
    /** The position that runs, or -1 between tests. */
    private int current = -1;
    /** Restores state, or null. */
    private Restorer restorer;

    AgentClient(Events events) {
        this.events = events;
    }

    void restoreWith(Restorer restorer) {
        this.restorer = restorer;
    }

    private static Class<?> find() {
        try {
            return Class.forName("io.odfix.state.AgentApi", true, null);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    static boolean hasAgent() {
        return API != null;
    }

    private static Method method(String name, Class<?>... types) {
        try {
            return API.getMethod(name, types);
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object invoke(Method method, Object... arguments) {
        try {
            return method.invoke(null, arguments);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    /** Makes the agent save the state with these names. */
    static void remember(List<String> names) {
        invoke(method("remember", List.class), names);
    }

    /** Makes the agent restore the state. The frame has the results. */
    static Frame restore() {
        return new Frame((byte[]) invoke(method("restore")));
    }

    /** The test begins, or continues after another test. */
    void enter(int position) {
        if (current != position) {
            mark(current < 0 ? 'b' : 't', current < 0 ? position : current);
            current = position;
        }
    }

    /** The running test has ended. */
    void leave() {
        if (current >= 0) {
            mark('t', current);
            over(current);
            current = -1;
        }
    }

    /**
     * Something around the tests up to this position has ended. Work since then belongs to its
     * teardown.
     */
    void after(int position) {
        if (current < 0 && position >= 0) {
            mark('a', position);
            over(position);
        }
    }

    private void over(int position) {
        if (restorer != null) {
            restorer.over(position);
        }
    }

    /** Work so far belongs to no test. */
    void outside() {
        mark('o', -1);
    }

    private void mark(char kind, int position) {
        if (MARK == null) {
            return;
        }
        for (byte[] frame : (byte[][]) invoke(MARK, kind, (long) position)) {
            events.send(new Frame(frame));
        }
    }
}
