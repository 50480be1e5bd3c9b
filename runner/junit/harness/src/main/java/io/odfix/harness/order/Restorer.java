package io.odfix.harness.order;

import io.odfix.harness.wire.Events;
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
     * @param before the position of the test before which they are restored; 0: they are only saved
     * @throws Refused if this process has no agent
     */
    public Restorer(Events events, List<String> places, long before) throws Refused {
        this.events = events;
        this.before = (int) before;
        if (!AgentClient.hasAgent()) {
            throw new Refused("this process cannot restore state: it was started without the agent that observes state",
                    Collections.<String>emptyList());
        }
        AgentClient.remember(places);
    }

    /** The test at this position, or something around it, has ended. */
    void over(int position) {
        if (position == before - 1) {
            restore();
        }
    }

    /** The class of the test at this position begins soon. */
    public void begins(int position) {
        if (position == before && before > 0) {
            restore();
        }
    }

    private void restore() {
        events.send(AgentClient.restore());
    }
}
