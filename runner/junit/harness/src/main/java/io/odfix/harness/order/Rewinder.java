package io.odfix.harness.order;

import io.odfix.harness.wire.Events;
import io.odfix.harness.wire.Frame;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.List;

/**
 * Has the agent that observes static state remember some of it when an order begins, and put it back in front of
 * one of its tests. Between the test before and that one it may be put back several times: behind the test
 * itself, behind whatever ends its class, and where the next class begins.
 */
public final class Rewinder {
    private final Events events;
    private final int before;

    /**
     * @param places names that the agent gave
     * @param before the position in front of which they are put back; 0 where they never are
     * @throws Refused where nobody in this process can do that
     */
    public Rewinder(Events events, List<String> places, long before) throws Refused {
        this.events = events;
        this.before = (int) before;
        call("remember", List.class, places);
    }

    /** The test at this position, or something around it, is over. */
    void over(int position) {
        if (position == before - 1) {
            back();
        }
    }

    /** The class of the test at this position is about to begin. */
    public void begins(int position) {
        if (position == before && before > 0) {
            back();
        }
    }

    private void back() {
        try {
            events.send(new Frame((byte[]) call("back", null, null)));
        } catch (Refused e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object call(String name, Class<?> type, Object argument) throws Refused {
        try {
            Class<?> marks = Class.forName("io.odfix.state.Marks", true, null);
            if (type == null) {
                return marks.getMethod(name).invoke(null);
            }
            Method method = marks.getMethod(name, type);
            return method.invoke(null, argument);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause());
        } catch (ReflectiveOperationException e) {
            String why = "nobody in this process can put state back: it was started without the agent that observes state";
            throw new Refused(why, Collections.<String>emptyList());
        }
    }
}
