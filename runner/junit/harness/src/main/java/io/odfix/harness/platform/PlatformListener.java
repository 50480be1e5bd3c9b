package io.odfix.harness.platform;

import io.odfix.harness.order.Failure;
import io.odfix.harness.order.Node;
import io.odfix.harness.order.Recorder;
import io.odfix.harness.order.VisitTracker;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/** Translates the launcher's events. */
final class PlatformListener implements TestExecutionListener {
    private final Positions positions;
    private final VisitTracker tracker;
    private final Map<String, Long> began = new HashMap<String, Long>();
    /** Tests that the current invocation of their class has reached. */
    private final Set<Node> reached = new HashSet<Node>();
    private String invocation = "";

    PlatformListener(Positions positions, VisitTracker tracker) {
        this.positions = positions;
        this.tracker = tracker;
    }

    @Override
    public void executionStarted(TestIdentifier event) {
        String id = event.getUniqueId();
        began.put(id, System.nanoTime());
        Node node = positions.exact(id);
        if (Positions.isClassInvocation(id)) {
            reached.clear();
            invocation = event.getDisplayName();
        } else if (node != null && node.isTest()) {
            reached.add(node);
            tracker.started(node);
        } else if (node == null && event.isTest()) {
            Node around = positions.around(id);
            if (around == null || !around.isTest()) {
                tracker.unannounced(id);
            }
        }
    }

    @Override
    public void executionSkipped(TestIdentifier event, String reason) {
        String id = event.getUniqueId();
        Failure why = Failure.reason(reason);
        Node node = positions.exact(id);
        if (Positions.isClassInvocation(id)) {
            reached.clear();
            invocationMissed(positions.around(id), Recorder.SKIP, event, why);
        } else if (node == null) {
            invocationEnded(positions.around(id), Recorder.SKIP, event, 0, why);
        } else if (!node.isTest()) {
            tracker.groupFailure(node, node.name, Recorder.SKIP, why);
        } else if (Positions.template(node) == null) {
            tracker.ignored(node, why);
        } else {
            reached.add(node);
            tracker.started(node);
            invocationEnded(node, Recorder.SKIP, event, 0, why);
        }
    }

    @Override
    public void executionFinished(TestIdentifier event, TestExecutionResult result) {
        String id = event.getUniqueId();
        Long start = began.remove(id);
        long nanos = start == null ? 0 : System.nanoTime() - start;
        char outcome = outcome(result);
        Failure why = Failure.of(result.getThrowable().orElse(null));
        Node node = positions.exact(id);
        if (Positions.isClassInvocation(id)) {
            classInvocation(positions.around(id), outcome, event, why);
        } else if (node == null) {
            if (event.isTest() || outcome != Recorder.PASS) {
                invocationEnded(positions.around(id), outcome, event, nanos, why);
            }
        } else if (node.isTest()) {
            test(node, outcome, event, nanos, why);
        } else {
            group(node, outcome, why);
        }
    }

    private void test(Node test, char outcome, TestIdentifier event, long nanos, Failure why) {
        if (Positions.template(test) != null) {
            if (event.isTest() || outcome != Recorder.PASS) {
                invocationEnded(test, outcome, event, nanos, why);
            }
            return; // it ends together with its class
        }
        count(test, outcome, why, event.isTest());
        tracker.finished(test);
    }

    private void group(Node group, char outcome, Failure why) {
        if (Positions.template(group) == group) {
            tracker.finishedBelow(group);
        }
        tracker.groupFinished();
        if (outcome != Recorder.PASS) {
            tracker.groupFailure(group, group.name, outcome, why);
        }
    }

    /**
     * An invocation of a class ended. If it failed, the tests it did not reach get that outcome.
     */
    private void classInvocation(Node group, char outcome, TestIdentifier event, Failure why) {
        if (outcome != Recorder.PASS && !invocationMissed(group, outcome, event, why)) {
            tracker.groupFailure(group, event.getDisplayName(), outcome, why);
        }
    }

    /** @return false if every test of the class was reached */
    private boolean invocationMissed(Node group, char outcome, TestIdentifier event, Failure why) {
        boolean any = false;
        for (Node test : group.tests()) {
            if (test.slot >= 0 && !reached.contains(test)) {
                any = true;
                tracker.started(test);
                invocationEnded(test, outcome, event, 0, why);
            }
        }
        return any;
    }

    /** One invocation of a test. */
    private void invocationEnded(Node test, char outcome, TestIdentifier event, long nanos, Failure why) {
        if (test == null || !test.isTest()) {
            return;
        }
        String name = event.getDisplayName();
        if (Positions.template(test) != null) {
            name = invocation + " " + name;
        }
        tracker.invocation(test, name, outcome, nanos, why);
        count(test, outcome, why, true);
    }

    /** @param counts false for a container that passed, because its tests may have failed */
    private void count(Node test, char outcome, Failure why, boolean counts) {
        if (outcome == Recorder.FAIL) {
            tracker.failed(test, why);
        } else if (outcome == Recorder.SKIP) {
            tracker.skipped(test, why);
        } else if (counts) {
            tracker.passed(test);
        }
    }

    private static char outcome(TestExecutionResult result) {
        switch (result.getStatus()) {
            case SUCCESSFUL:
                return Recorder.PASS;
            case ABORTED:
                return Recorder.SKIP;
            default:
                return Recorder.FAIL;
        }
    }
}
