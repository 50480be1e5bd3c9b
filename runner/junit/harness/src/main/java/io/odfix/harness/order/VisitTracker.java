package io.odfix.harness.order;

import java.util.ArrayList;
import java.util.List;

/**
 * Tracks one visit: turns a framework's events into outcomes of positions, and compares the tests
 * that run with the order. Listeners of each framework call it.
 */
public final class VisitTracker {
    private enum State { WAITING, RUNNING, DONE }

    /** What is known so far of one test. */
    private static final class Progress {
        State state = State.WAITING;
        long began;
        int passed;
        int failed;
        int skipped;
        Failure failure;
        Failure skip = Failure.NONE;
    }

    /** A class whose setup or teardown failed, or that was skipped as a whole. */
    private static final class GroupFailure {
        Node group;
        String name;
        char outcome;
        Failure why;
        int position;
        boolean used;
    }

    private final List<Node> visit;
    private final int base;
    private final Recorder log;
    private final Progress[] progress;
    private final List<GroupFailure> groupFailures = new ArrayList<GroupFailure>();
    private int highest = -1;
    /** Every test before this one has begun or has its outcome. */
    private int settled;
    /** A test that ends only when another begins, or null. */
    private Node lazy;

    /** @param base position of the visit's first test in the order */
    public VisitTracker(List<Node> visit, int base, Recorder log) {
        this.visit = visit;
        this.base = base;
        this.log = log;
        this.progress = new Progress[visit.size()];
        for (int i = 0; i < progress.length; i++) {
            progress[i] = new Progress();
            visit.get(i).slot = i;
        }
    }

    /** The first test without an outcome that has not begun, or null. */
    public synchronized Node next() {
        for (int i = Math.max(highest, 0); i < progress.length; i++) {
            if (progress[i].state == State.WAITING) {
                return visit.get(i);
            }
        }
        return null;
    }

    /** The test begins. It begins again if its invocations come one by one. */
    public synchronized void started(Node test) {
        Progress p = reach(test);
        if (p != null && p.state == State.WAITING) {
            p.state = State.RUNNING;
            p.began = System.nanoTime();
            log.started(base + test.slot);
        }
        if (p != null && p.state == State.RUNNING) {
            log.agent.enter(base + test.slot);
        }
    }

    /** The framework skips the test, with a reason. */
    public synchronized void ignored(Node test, Failure reason) {
        Progress p = reach(test);
        if (p == null) {
            return;
        }
        if (p.state == State.RUNNING) {
            skipped(test, reason);
        } else {
            done(test, Recorder.SKIP, 0, reason);
        }
    }

    public synchronized void invocation(Node test, String name, char outcome, long nanos, Failure why) {
        if (test.slot >= 0) {
            log.invocation(base + test.slot, name, outcome, nanos, why);
        }
    }

    public synchronized void passed(Node test) {
        if (test.slot >= 0) {
            progress[test.slot].passed++;
        }
    }

    public synchronized void failed(Node test, Failure why) {
        if (test.slot >= 0) {
            Progress p = progress[test.slot];
            p.failed++;
            p.failure = p.failure == null ? why : p.failure;
        }
    }

    public synchronized void skipped(Node test, Failure why) {
        if (test.slot >= 0) {
            progress[test.slot].skipped++;
            progress[test.slot].skip = why;
        }
    }

    /** The test has ended. Its outcome follows from the failures and skips recorded for it. */
    public synchronized void finished(Node test) {
        if (test.slot < 0 || progress[test.slot].state != State.RUNNING) {
            return;
        }
        Progress p = progress[test.slot];
        long nanos = System.nanoTime() - p.began;
        if (p.failed > 0) {
            done(test, Recorder.FAIL, nanos, p.failure.among(p.failed));
        } else if (p.skipped > 0 && p.passed == 0) {
            done(test, Recorder.SKIP, nanos, p.skip);
        } else {
            done(test, Recorder.PASS, nanos, Failure.NONE);
        }
    }

    /** Ends the tests below a group whose invocations came one by one. */
    public synchronized void finishedBelow(Node group) {
        for (Node test : visit) {
            if (group.holds(test)) {
                finished(test);
            }
        }
    }

    public synchronized boolean isRunning(Node test) {
        return test != null && test.slot >= 0 && progress[test.slot].state == State.RUNNING;
    }

    /** A group has ended. Work since its last test is its teardown. */
    public synchronized void groupFinished() {
        if (highest >= 0) {
            log.agent.after(base + highest);
        }
    }

    /**
     * A group failed or was skipped as a whole. Its tests that never begin get this outcome. If all
     * of them ran, its teardown failed, which is reported separately from the tests, as Surefire
     * does.
     *
     * @param group null if the framework does not say which
     */
    public synchronized void groupFailure(Node group, String name, char outcome, Failure why) {
        GroupFailure groupFailure = new GroupFailure();
        groupFailure.group = group;
        groupFailure.name = name;
        groupFailure.outcome = outcome;
        groupFailure.why = why;
        groupFailure.position = Math.max(base, log.done() - 1);
        groupFailures.add(groupFailure);
    }

    /**
     * The visit has ended. {@code thrown} is the exception of the framework's runner, or null.
     */
    public synchronized void end(Throwable thrown) {
        if (thrown != null) {
            groupFailure(null, visit.get(0).name, Recorder.FAIL, Failure.of(thrown));
        }
        for (Node test : visit) {
            Progress p = progress[test.slot];
            if (p.state == State.RUNNING && thrown != null) {
                failed(test, Failure.of(thrown));
            }
            finished(test);
        }
        settleBefore(progress.length);
        groupFinished();
        for (GroupFailure groupFailure : groupFailures) {
            if (!groupFailure.used && groupFailure.outcome == Recorder.FAIL) {
                log.classFailure(groupFailure.position, groupFailure.name, groupFailure.why);
            }
        }
        for (Node test : visit) {
            test.slot = -1;
        }
    }

    private Progress reach(Node test) {
        if (test.slot < 0) {
            refuse(test.name, " ran although this visit was not to run it");
            return null;
        }
        endLazy(test);
        Progress p = progress[test.slot];
        if (p.state == State.DONE || p.state == State.WAITING && test.slot < highest) {
            refuse(test.name, p.state == State.DONE ? " ran a second time within one visit" : " ran too late");
            return null;
        }
        settleBefore(test.slot);
        highest = Math.max(highest, test.slot);
        return p;
    }

    private void endLazy(Node begins) {
        if (lazy != null && lazy != begins) {
            Node over = lazy;
            lazy = null;
            finished(over);
        }
        if (begins.has(Node.LAZY)) {
            lazy = begins;
        }
    }

    /**
     * Tests that did not run get the outcome of a group that failed or was skipped as a whole.
     * Others mean that the runner ignored the order.
     */
    private void settleBefore(int slot) {
        List<String> lost = new ArrayList<String>();
        for (int i = settled; i < slot; i++) {
            if (progress[i].state == State.WAITING && !failsWithGroup(visit.get(i))) {
                lost.add(visit.get(i).name);
            }
        }
        settled = Math.max(settled, slot);
        if (!lost.isEmpty()) {
            log.refuse("the class's runner did not run these tests in the requested order", lost);
        }
    }

    private boolean failsWithGroup(Node test) {
        for (GroupFailure groupFailure : groupFailures) {
            if (groupFailure.group == null || groupFailure.group.holds(test)) {
                groupFailure.used = true;
                done(test, groupFailure.outcome, 0, groupFailure.why);
                return true;
            }
        }
        return false;
    }

    private void done(Node test, char outcome, long nanos, Failure why) {
        if (progress[test.slot].state == State.RUNNING) {
            log.agent.leave();
        }
        progress[test.slot].state = State.DONE;
        log.finished(base + test.slot, outcome, nanos, why);
    }

    /** A test ran that the tree did not announce. */
    public synchronized void unannounced(String name) {
        refuse(name, " ran although its class did not announce it");
    }

    private void refuse(String id, String what) {
        List<String> ids = new ArrayList<String>();
        ids.add(id);
        log.refuse(id + what + ": its runner does not follow the requested order", ids);
    }
}
