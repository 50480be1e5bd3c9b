package io.odfix.harness.junit3;

import io.odfix.harness.order.Driver;
import io.odfix.harness.order.Failure;
import io.odfix.harness.order.Node;
import io.odfix.harness.order.Plan;
import io.odfix.harness.order.Recorder;
import io.odfix.harness.order.Refused;
import io.odfix.harness.order.TestThread;
import io.odfix.harness.order.Tree;
import io.odfix.harness.order.VisitTracker;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestResult;
import junit.framework.TestSuite;

/** Runs tests if JUnit 3.8 is the only framework. */
public final class Junit3Driver implements Driver {
    @Override
    public String framework() {
        return "junit3";
    }

    @Override
    public boolean claims(Class<?> c) {
        return Junit3Check.accepts(c);
    }

    @Override
    public Node look(Class<?> c) throws Refused {
        try {
            Test test = create(c);
            Node root = new TestTree(c.getName()).root(test);
            Tree.number(root);
            if (Junit3Check.hasSuite(c) && !Junit3Check.holdsOwnTests(c, test)) {
                root.flags |= Node.FIXED;
            }
            return root;
        } catch (Throwable t) {
            throw new Refused(String.valueOf(t), c.getName());
        }
    }

    @Override
    public int run(Plan plan, int from, Recorder log) throws Refused {
        Class<?> c = plan.launched(from);
        Test test;
        try {
            test = create(c);
        } catch (Throwable t) {
            return plan.sameOutcome(from, log, Recorder.FAIL, Failure.of(t));
        }
        return run(test, plan, from, log);
    }

    private static int run(Test test, Plan plan, int from, Recorder log) throws Refused {
        String name = plan.launched(from).getName();
        Node root = new TestTree(name).root(test);
        Tree.number(root);
        List<Node> visit = Tree.prefix(root, plan.ids, from);
        if (visit.isEmpty()) {
            throw plan.missing(from, root.tests());
        }
        Tree.arrange(root, visit);
        VisitTracker tracker = new VisitTracker(visit, from, log);
        TestResult result = new TestResult();
        result.addListener(new Junit3Listener(root, tracker, log, result));
        Throwable thrown = null;
        TestThread.enter();
        try {
            test.run(result);
        } catch (Throwable t) {
            thrown = t;
        } finally {
            TestThread.leave();
        }
        tracker.end(thrown);
        return visit.size();
    }

    /** Creates a class's test as Surefire does: with its suite() method, if it has one. */
    private static Test create(Class<?> c) throws Throwable {
        if (Junit3Check.hasSuite(c)) {
            try {
                return (Test) c.getMethod("suite").invoke(null);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
        if (TestCase.class.isAssignableFrom(c)) {
            return new TestSuite(c.asSubclass(TestCase.class));
        }
        return (Test) c.getConstructor().newInstance();
    }
}
