package io.odfix.harness.order;

import io.odfix.harness.wire.Events;
import io.odfix.harness.wire.Frame;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.List;

/**
 * Asks the agent to save some state when an order begins, and to restore it directly before one of
 * the tests. The agent may restore several times: after the test before, after what ends that
 * test's class, and where the next class begins.
 */
public final class Restorer {
    private final Events events;
    private final int before;

    /**
     * @param places names that the agent gave
     * @param before the position in front of which they are put back; 0 where they never are
     * @throws Refused where nobody in this process can do that
     */
    public Restorer(Events events, List<String> places, long before) throws Refused {
        this.events = events;
        this.before = (int) before;
        call("remember", List.class, places);
    }

    /** The test at this position, or something around it, is over. */
    void over(int position) {
        if (position == before - 1) {
            restore();
        }
    }

    /** The class of the test at this position is about to begin. */
    public void begins(int position) {
        if (position == before && before > 0) {
            restore();
        }
    }

    private void restore() {
        try {
            events.send(new Frame((byte[]) call("restore", null, null)));
        } catch (Refused e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object call(String name, Class<?> type, Object argument) throws Refused {
        try {
            Class<?> api = Class.forName("io.odfix.state.AgentApi", true, null);
            if (type == null) {
                return api.getMethod(name).invoke(null);
            }
            Method method = api.getMethod(name, type);
            return method.invoke(null, argument);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause());
        } catch (ReflectiveOperationException e) {
            String why = "this process cannot restore state: it was started without the agent that observes state";
            throw new Refused(why, Collections.<String>emptyList());
        }
    }
}
