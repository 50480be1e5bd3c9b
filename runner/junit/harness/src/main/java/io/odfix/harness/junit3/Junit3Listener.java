package io.odfix.harness.junit3;

import io.odfix.harness.order.Failure;
import io.odfix.harness.order.Node;
import io.odfix.harness.order.Recorder;
import io.odfix.harness.order.VisitTracker;
import java.util.IdentityHashMap;
import java.util.Map;
import junit.framework.AssertionFailedError;
import junit.framework.Test;
import junit.framework.TestListener;
import junit.framework.TestResult;

/** JUnit 3's events hold the tests themselves, so the listener finds their nodes by identity. */
final class Junit3Listener implements TestListener {
    private final Map<Object, Node> nodes = new IdentityHashMap<Object, Node>();
    private final VisitTracker tracker;
    private final Recorder log;
    private final TestResult result;

    Junit3Listener(Node root, VisitTracker tracker, Recorder log, TestResult result) {
        this.tracker = tracker;
        this.log = log;
        this.result = result;
        for (Node node : root.all()) {
            nodes.put(node.child, node);
            nodes.put(node.description, node);
        }
    }

    @Override
    public void startTest(Test test) {
        Node node = nodes.get(test);
        if (node == null || !node.isTest()) {
            tracker.unannounced(TestTree.name(test));
        } else {
            tracker.started(node);
        }
        if (log.refused()) {
            result.stop();
        }
    }

    @Override
    public void addError(Test test, Throwable t) {
        Node node = nodes.get(test);
        if (tracker.isRunning(node)) {
            tracker.failed(node, Failure.of(t));
        } else {
            tracker.groupFailure(node, String.valueOf(test), Recorder.FAIL, Failure.of(t));
        }
    }

    @Override
    public void addFailure(Test test, AssertionFailedError t) {
        addError(test, t);
    }

    @Override
    public void endTest(Test test) {
        Node node = nodes.get(test);
        if (node != null && !node.has(Node.LAZY)) {
            tracker.finished(node);
        }
    }
}
