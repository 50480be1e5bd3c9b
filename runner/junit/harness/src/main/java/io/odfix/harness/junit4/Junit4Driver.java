package io.odfix.harness.junit4;

import io.odfix.harness.junit3.Junit3Check;
import io.odfix.harness.order.Driver;
import io.odfix.harness.order.Failure;
import io.odfix.harness.order.Node;
import io.odfix.harness.order.Plan;
import io.odfix.harness.order.Recorder;
import io.odfix.harness.order.Refused;
import io.odfix.harness.order.TestThread;
import io.odfix.harness.order.Tree;
import io.odfix.harness.order.VisitTracker;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.runner.Description;
import org.junit.runner.Result;
import org.junit.runner.Runner;

/**
 * Runs JUnit 3 and JUnit 4 classes with the runners of the project's JUnit 4.
 *
 * <p>In a project of the JUnit Platform, JUnit 4 tests also run here and not through the Vintage
 * engine, which would hide the runners that must be reordered. The one difference that a test can
 * see is kept: Vintage makes every runner before the first test runs (and thereby evaluates
 * parameters and runs static initialisers), and Surefire's JUnit 4 provider makes one runner at a
 * time.
 */
public final class Junit4Driver implements Driver {
    private final boolean vintage;
    private final Categories categories;
    private final Map<Class<?>, Runner> ready = new HashMap<Class<?>, Runner>();
    private Notifier notifier;
    private Result result;

    public Junit4Driver(boolean vintage) {
        this.vintage = vintage;
        this.categories = new Categories();
    }

    @Override
    public String framework() {
        return "junit4";
    }

    @Override
    public boolean claims(Class<?> c) {
        return vintage ? Junit4Check.acceptsVintage(c) : Junit4Check.accepts(c);
    }

    /** Enclosed and similar runners launch nested classes as part of the outer one. */
    @Override
    public Class<?> launched(Class<?> c) {
        Class<?> launched = c;
        for (Class<?> at = c.getDeclaringClass(); at != null; at = at.getDeclaringClass()) {
            if (Junit4Check.mayHoldNested(at)) {
                launched = at;
            }
        }
        return launched;
    }

    @Override
    public Node look(Class<?> c) throws Refused {
        Runner runner = Runners.of(c);
        if (Runners.isIgnored(runner)) {
            return Runners.ignored(c);
        }
        Throwable broken = Runners.brokenBy(runner);
        if (broken != null) {
            throw new Refused(String.valueOf(Failure.rootCause(broken)), c.getName());
        }
        Node root = new RunnerTree(c.getName()).root(runner);
        Tree.number(root);
        categories.prune(root);
        if (Runners.fixesOrder(c) || Junit3Check.hasSuite(c) && !RunnerTree.holdsOwnTests(c, runner)) {
            root.flags |= Node.FIXED;
        }
        return root;
    }

    @Override
    public void begin(Plan plan) {
        ready.clear();
        for (int i = 0; vintage && i < plan.size(); i++) {
            Class<?> c = plan.launched(i);
            if (plan.driver(i) == this && !ready.containsKey(c)) {
                ready.put(c, Runners.of(c));
            }
        }
    }

    @Override
    public int run(Plan plan, int from, Recorder log) throws Refused {
        Class<?> c = plan.launched(from);
        Runner runner = ready.remove(c);
        if (runner == null) {
            runner = Runners.of(c);
        }
        if (Runners.isIgnored(runner)) {
            return plan.sameOutcome(from, log, Recorder.SKIP, Failure.reason(Runners.whyIgnored(c)));
        }
        Throwable broken = Runners.brokenBy(runner);
        if (broken != null) {
            return plan.sameOutcome(from, log, Recorder.FAIL, Failure.of(broken));
        }
        Node root;
        try {
            root = new RunnerTree(c.getName()).root(runner);
        } catch (RuntimeException e) {
            return plan.sameOutcome(from, log, Recorder.FAIL, Failure.of(e)); // the runner cannot describe its tests
        }
        Tree.number(root);
        List<Node> visit = Tree.prefix(root, plan.ids, from);
        if (visit.isEmpty() && plan.relaunch(from)) {
            return run(plan, from, log);
        }
        if (visit.isEmpty()) {
            throw plan.missing(from, root.tests());
        }
        run(runner, Choice.apply(runner, root, visit), from, log);
        return visit.size();
    }

    private void run(Runner runner, List<Node> visit, int from, Recorder log) {
        VisitTracker tracker = new VisitTracker(visit, from, log);
        Notifier notifier = notifier(runner.getDescription(), log);
        Junit4Listener listener = new Junit4Listener(top(visit.get(0)), tracker, log, notifier);
        notifier.watch(listener);
        Throwable thrown = null;
        TestThread.enter();
        try {
            runner.run(notifier);
        } catch (Throwable t) {
            thrown = t;
        } finally {
            TestThread.leave();
            notifier.unwatch();
        }
        tracker.end(thrown);
    }

    private static Node top(Node node) {
        Node top = node;
        while (top.parent != null) {
            top = top.parent;
        }
        return top;
    }

    /** One notifier for the whole order, with the project's own listeners, as in Surefire. */
    private Notifier notifier(Description description, Recorder log) {
        if (notifier == null) {
            notifier = new Notifier();
            result = new Result();
            notifier.addListener(result.createListener());
            Runners.addListeners(notifier);
            notifier.fireTestRunStarted(description);
            log.beginsHere(); // work of the project's listeners belongs to no test
        }
        return notifier;
    }

    @Override
    public void end() {
        ready.clear();
        if (notifier != null) {
            notifier.fireTestRunFinished(result);
            notifier = null;
            result = null;
        }
    }
}
