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
    private final VisitTracker watch;
    private final Map<String, Long> began = new HashMap<String, Long>();
    /** Tests that the present invocation of their class has reached. */
    private final Set<Node> reached = new HashSet<Node>();
    private String invocation = "";

    PlatformListener(Positions positions, VisitTracker watch) {
        this.positions = positions;
        this.watch = watch;
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
            watch.started(node);
        } else if (node == null && event.isTest()) {
            Node around = positions.around(id);
            if (around == null || !around.isTest()) {
                watch.unannounced(id);
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
            missed(positions.around(id), Recorder.SKIP, event, why);
        } else if (node == null) {
            said(positions.around(id), Recorder.SKIP, event, 0, why);
        } else if (!node.isTest()) {
            watch.groupFailure(node, node.name, Recorder.SKIP, why);
        } else if (Positions.template(node) == null) {
            watch.ignored(node, why);
        } else {
            reached.add(node);
            watch.started(node);
            said(node, Recorder.SKIP, event, 0, why);
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
                said(positions.around(id), outcome, event, nanos, why);
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
                said(test, outcome, event, nanos, why);
            }
            return; // over when its class is
        }
        count(test, outcome, why, event.isTest());
        watch.finished(test);
    }

    private void group(Node group, char outcome, Failure why) {
        if (Positions.template(group) == group) {
            watch.finishedBelow(group);
        }
        watch.groupFinished();
        if (outcome != Recorder.PASS) {
            watch.groupFailure(group, group.name, outcome, why);
        }
    }

    /**
     * An invocation of a class ended: when it failed, that is the outcome of the tests it did not
     * reach.
     */
    private void classInvocation(Node group, char outcome, TestIdentifier event, Failure why) {
        if (outcome != Recorder.PASS && !missed(group, outcome, event, why)) {
            watch.groupFailure(group, event.getDisplayName(), outcome, why);
        }
    }

    /** @return false where every test of the class was reached */
    private boolean missed(Node group, char outcome, TestIdentifier event, Failure why) {
        boolean any = false;
        for (Node test : group.tests()) {
            if (test.slot() >= 0 && !reached.contains(test)) {
                any = true;
                watch.started(test);
                said(test, outcome, event, 0, why);
            }
        }
        return any;
    }

    /** One invocation of a test. */
    private void said(Node test, char outcome, TestIdentifier event, long nanos, Failure why) {
        if (test == null || !test.isTest()) {
            return;
        }
        String name = event.getDisplayName();
        if (Positions.template(test) != null) {
            name = invocation + " " + name;
        }
        watch.invocation(test, name, outcome, nanos, why);
        count(test, outcome, why, true);
    }

    /** @param counts false for a container that passed, which says nothing of what it held */
    private void count(Node test, char outcome, Failure why, boolean counts) {
        if (outcome == Recorder.FAIL) {
            watch.failed(test, why);
        } else if (outcome == Recorder.SKIP) {
            watch.skipped(test, why);
        } else if (counts) {
            watch.passed(test);
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
