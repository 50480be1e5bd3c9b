package io.odfix.harness.order;

import io.odfix.harness.wire.Events;
import io.odfix.harness.wire.Frame;
import java.util.List;

/**
 * Records one order: what happened at each position. It sends outcomes in the order of positions.
 * An outcome that is known too early waits.
 */
public final class Recorder {
    public static final char PASS = 'p';
    public static final char FAIL = 'f';
    public static final char SKIP = 's';

    /** The agent that observes static state, if there is one. */
    final AgentClient agent;

    private final Events events;
    private final long run;
    public final List<String> order;
    private final Frame[] waiting;
    private final boolean[] began;
    private volatile int done;
    private volatile boolean refused;

    public Recorder(Events events, long run, List<String> order) {
        this.agent = new AgentClient(events);
        this.events = events;
        this.run = run;
        this.order = order;
        this.waiting = new Frame[order.size()];
        this.began = new boolean[order.size()];
    }

    /**
     * The number of positions whose outcome was sent, which is the first position without one.
     */
    public int done() {
        return done;
    }

    public boolean refused() {
        return refused;
    }

    /**
     * A position that begins before the previous one has ended (in a parameterised class) waits,
     * too.
     */
    public synchronized void started(int position) {
        began[position] = true;
        if (position == done) {
            sendStarted();
        }
    }

    private void sendStarted() {
        send(new Frame('s').i64(done).str(order.get(done)));
    }

    public synchronized void invocation(int position, String name, char outcome, long nanos, Failure why) {
        send(failure(new Frame('i').i64(position).str(Stacks.bounded(name, Stacks.MESSAGE)).u8(outcome).i64(nanos), why));
    }

    public synchronized void finished(int position, char outcome, long nanos, Failure why) {
        waiting[position] = failure(
                new Frame('f').i64(position).str(order.get(position)).u8(outcome).i64(nanos), why);
        while (done < waiting.length && waiting[done] != null) {
            send(waiting[done]);
            waiting[done] = null;
            done++;
            if (done < waiting.length && began[done]) {
                sendStarted();
            }
        }
    }

    /** Restores state directly before one of the tests. */
    public void restoreWith(Restorer restorer) {
        agent.restoreWith(restorer);
    }

    /** Work so far, such as making runners, belongs to no test. */
    public void beginsHere() {
        agent.outside();
    }

    /** A failure of a class that belongs to none of its tests, such as one of its teardown. */
    public synchronized void classFailure(int position, String name, Failure why) {
        send(failure(new Frame('c').i64(position).str(name), why));
    }

    /** Refuses the order, because other tests ran than requested. Nothing more is sent for it. */
    public void refuse(String reason, List<String> ids) {
        refuse(new Refused(reason, ids));
    }

    public synchronized void refuse(Refused why) {
        if (!refused) {
            String reason = Stacks.bounded(why.getMessage(), Stacks.MESSAGE);
            events.send(new Frame('e').i64(run).str(reason).strs(why.ids).u8(why.missing ? 1 : 0));
        }
        refused = true;
    }

    public synchronized void complete() {
        send(new Frame('.').i64(run).i64(done));
    }

    private static Frame failure(Frame frame, Failure why) {
        return frame.str(why.type).str(why.message).str(why.stack);
    }

    private void send(Frame frame) {
        if (!refused) {
            events.send(frame);
        }
    }
}
