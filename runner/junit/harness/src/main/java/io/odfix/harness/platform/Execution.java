package io.odfix.harness.platform;

import io.odfix.harness.order.Node;
import io.odfix.harness.order.Plan;
import io.odfix.harness.order.Recorder;
import io.odfix.harness.order.Refused;
import io.odfix.harness.order.Tree;
import io.odfix.harness.order.VisitTracker;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.platform.engine.TestDescriptor;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * One launcher execution. After discovery, it selects as much of the order as one engine can run at
 * once, and removes the rest. During the execution, it watches.
 */
final class Execution implements Engines.Visitor, TestExecutionListener {
    private final Plan plan;
    private final int from;
    private final Recorder log;
    private final List<Node> found = new ArrayList<Node>();
    private List<Node> visit = Collections.emptyList();
    private PlatformListener listener;
    private VisitTracker tracker;

    Execution(Plan plan, int from, Recorder log) {
        this.plan = plan;
        this.from = from;
        this.log = log;
    }

    @Override
    public void found(List<TestDescriptor> roots) {
        List<String> mine = plan.ids.subList(0, plan.stretch(from));
        for (TestDescriptor root : roots) {
            Node engine = DescriptorTree.engine(root);
            found.addAll(engine.tests());
            List<Node> held = visit.isEmpty() ? Tree.prefix(engine, mine, from) : Collections.<Node>emptyList();
            Tree.arrange(engine, held);
            if (!held.isEmpty()) {
                visit = held;
                tracker = new VisitTracker(visit, from, log);
                listener = new PlatformListener(new Positions(engine), tracker);
            }
        }
    }

    /**
     * The execution has ended.
     *
     * @return the number of positions run
     * @throws Refused if no engine has the first test
     */
    int end(Throwable thrown) throws Refused {
        if (tracker == null) {
            if (thrown != null) {
                String why = "the tests of " + plan.launched(from).getName() + " cannot be found: " + thrown;
                throw new Refused(why, plan.ids.get(from));
            }
            throw plan.missing(from, found);
        }
        tracker.end(thrown);
        return visit.size();
    }

    /**
     * The launcher calls the project's own listeners first. Their work belongs to no test.
     */
    @Override
    public void testPlanExecutionStarted(TestPlan tests) {
        log.beginsHere();
    }

    @Override
    public void executionStarted(TestIdentifier event) {
        if (listener != null) {
            listener.executionStarted(event);
        }
    }

    @Override
    public void executionSkipped(TestIdentifier event, String reason) {
        if (listener != null) {
            listener.executionSkipped(event, reason);
        }
    }

    @Override
    public void executionFinished(TestIdentifier event, TestExecutionResult result) {
        if (listener != null) {
            listener.executionFinished(event, result);
        }
    }
}
