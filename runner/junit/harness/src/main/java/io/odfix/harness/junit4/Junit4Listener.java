package io.odfix.harness.junit4;

import io.odfix.harness.order.Failure;
import io.odfix.harness.order.Node;
import io.odfix.harness.order.Recorder;
import io.odfix.harness.order.VisitTracker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.Ignore;
import org.junit.runner.Description;
import org.junit.runner.notification.RunListener;
import org.junit.runner.notification.RunNotifier;

/**
 * Translates JUnit 4's events. They name tests by descriptions, which may be equal for several
 * tests. An event belongs to the test that runs, or else to the next one in the order, or else to
 * any test of that name.
 */
final class Junit4Listener extends RunListener {
    private final Map<String, List<Node>> byName = new HashMap<String, List<Node>>();
    private final VisitTracker tracker;
    private final Recorder log;
    private final RunNotifier notifier;
    private Node current;
    private long began;
    private Failure failure;
    private Failure skip;

    Junit4Listener(Node root, VisitTracker tracker, Recorder log, RunNotifier notifier) {
        this.tracker = tracker;
        this.log = log;
        this.notifier = notifier;
        remember(root);
    }

    private void remember(Node node) {
        String name = ((Description) node.description).getDisplayName();
        List<Node> nodes = byName.get(name);
        if (nodes == null) {
            nodes = new ArrayList<Node>();
            byName.put(name, nodes);
        }
        nodes.add(node);
        if (!node.isTest()) {
            for (Node child : node.children) {
                remember(child);
            }
        }
    }

    @Override
    public void testStarted(Description description) {
        Node test = find(description);
        if (test == null) {
            tracker.unannounced(description.getDisplayName());
        } else {
            tracker.started(test);
        }
        current = test;
        began = System.nanoTime();
        failure = null;
        skip = null;
        stopIfRefused();
    }

    @Override
    public void testFailure(org.junit.runner.notification.Failure event) {
        Description description = event.getDescription();
        Failure why = Failure.of(event.getException());
        if (runs(description)) {
            failure = failure == null ? why : failure;
            tracker.failed(current, why);
        } else {
            tracker.groupFailure(group(description), description.getDisplayName(), Recorder.FAIL, why);
        }
    }

    @Override
    public void testAssumptionFailure(org.junit.runner.notification.Failure event) {
        Description description = event.getDescription();
        Failure why = Failure.of(event.getException());
        if (runs(description)) {
            skip = why;
            tracker.skipped(current, why);
        } else {
            tracker.groupFailure(group(description), description.getDisplayName(), Recorder.SKIP, why);
        }
    }

    @Override
    public void testIgnored(Description description) {
        Ignore ignore = description.getAnnotation(Ignore.class);
        Failure why = Failure.reason(ignore == null ? "" : ignore.value());
        Node test = find(description);
        if (test != null) {
            tracker.ignored(test, why);
        } else {
            tracker.groupFailure(group(description), description.getDisplayName(), Recorder.SKIP, why);
        }
        stopIfRefused();
    }

    @Override
    public void testFinished(Description description) {
        if (!runs(description)) {
            return;
        }
        if (current.has(Node.LAZY)) {
            invocation(description);
        } else {
            tracker.finished(current);
        }
    }

    private void invocation(Description description) {
        char outcome = failure != null ? Recorder.FAIL : skip != null ? Recorder.SKIP : Recorder.PASS;
        if (outcome == Recorder.PASS) {
            tracker.passed(current);
        }
        Failure why = failure != null ? failure : skip != null ? skip : Failure.NONE;
        tracker.invocation(current, description.getDisplayName(), outcome, System.nanoTime() - began, why);
    }

    private boolean runs(Description event) {
        return tracker.isRunning(current) && Names.covers((Description) current.description, event);
    }

    private Node find(Description event) {
        if (current != null && current.has(Node.LAZY) && runs(event)) {
            return current;
        }
        Node next = tracker.next();
        if (next != null && next.description != null && Names.covers((Description) next.description, event)) {
            return next;
        }
        Node found = null;
        List<Node> named = byName.get(event.getDisplayName());
        for (int i = 0; named != null && i < named.size(); i++) {
            Node node = named.get(i);
            if (node.isTest() && (found == null || found.slot < 0)) {
                found = node;
            }
        }
        return found;
    }

    /**
     * The group of a class-level event. If several groups have that name, it is the one around the
     * next test.
     */
    private Node group(Description event) {
        List<Node> named = byName.get(event.getDisplayName());
        if (named == null) {
            return null;
        }
        Node next = tracker.next();
        for (Node node : named) {
            if (next != null && node.holds(next)) {
                return node;
            }
        }
        return named.get(0);
    }

    private void stopIfRefused() {
        if (log.refused()) {
            notifier.pleaseStop();
        }
    }
}
