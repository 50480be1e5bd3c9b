package io.odfix.harness.junit4;

import io.odfix.harness.junit3.Junit3Check;
import io.odfix.harness.junit3.TestTree;
import io.odfix.harness.order.Ids;
import io.odfix.harness.order.Node;
import io.odfix.harness.order.PrivateMembers;
import java.util.ArrayList;
import java.util.List;
import junit.framework.JUnit4TestAdapter;
import junit.framework.Test;
import junit.framework.TestSuite;
import org.junit.Ignore;
import org.junit.internal.runners.JUnit38ClassRunner;
import org.junit.runner.Describable;
import org.junit.runner.Description;
import org.junit.runner.Runner;
import org.junit.runners.ParentRunner;

/** The tree below a runner: classes of a suite, parameter sets, methods. */
final class RunnerTree extends TestTree {
    private final String launched;

    RunnerTree(String launched) {
        super(launched);
        this.launched = launched;
    }

    /** The tree of a launched class's runner, always a group. */
    Node root(Runner runner) {
        Node node = build(runner, runner, runner.getDescription());
        if (node.isTest()) {
            node = Node.group(launched, runner, runner.getDescription(), null).add(node);
        }
        node.name = launched;
        return node;
    }

    /** @param child the runner's entry in the list of its parent */
    Node build(Runner runner, Object child, Description description) {
        Node powerMock = PowerMock.is(runner) ? PowerMock.group(runner, child, description, this) : null;
        if (powerMock != null) {
            return powerMock;
        }
        Runner working = runner;
        if (!(runner instanceof ParentRunner || runner instanceof JUnit38ClassRunner)) {
            working = Delegates.find(runner);
        }
        if (working instanceof ParentRunner) {
            return parent((ParentRunner<?>) working, child, description);
        }
        if (working instanceof JUnit38ClassRunner) {
            Node inner = build(test((JUnit38ClassRunner) working));
            return Node.group(description.getDisplayName(), child, description, null).add(inner);
        }
        return described(description, child);
    }

    private Node parent(final ParentRunner<?> runner, Object child, Description description) {
        Node.Branch branch = Parents.settable() ? new Node.Branch() {
            @Override
            public void keep(List<Object> children) {
                Parents.set(runner, flat(children));
            }
        } : null;
        Node group = Node.group(description.getDisplayName(), child, description, branch);
        List<Object> children = Parents.children(runner);
        if (children.size() == runner.testCount() && children.size() > description.getChildren().size()) {
            invoked(runner, children, group);
            return group;
        }
        for (Object each : children) {
            Description of = Parents.describe(runner, each);
            if (each instanceof Runner) {
                group.flags |= Node.FIXED; // the author chose the order of a list of classes or parameters
                group.add(build((Runner) each, each, of));
            } else if (of.getChildren().isEmpty()) {
                group.add(leaf(each, of));
            } else {
                group.add(several(runner, each, of));
            }
        }
        return group;
    }

    /**
     * JUnitParams lists a method once for each of its invocations, and describes them as a group of
     * the method. They stay together as one test, because the runner counts them itself.
     */
    private void invoked(ParentRunner<?> runner, List<Object> children, Node group) {
        int at = 0;
        for (Description of : ((Description) group.description).getChildren()) {
            int count = Names.tests(of).size();
            List<Object> mine = new ArrayList<Object>(children.subList(at, at + count));
            group.add(of.getChildren().isEmpty() ? leaf(mine, of) : several(runner, mine, of));
            at += count;
        }
    }

    private static List<Object> flat(List<Object> children) {
        List<Object> flat = new ArrayList<Object>();
        for (Object child : children) {
            if (child instanceof List) {
                flat.addAll((List<?>) child);
            } else {
                flat.add(child);
            }
        }
        return flat;
    }

    /**
     * A method with several invocations by its runner, which cannot be chosen one by one.
     */
    private Node several(ParentRunner<?> runner, Object child, Description description) {
        String testClass = runner.getTestClass().getJavaClass().getName();
        Node test = Node.test(Ids.of(launched, testClass, description.getDisplayName()), child, description);
        test.flags = Node.DYNAMIC | Node.LAZY;
        return test;
    }

    Node leaf(Object child, Description description) {
        Node test = Node.test(Names.id(description, launched), child, description);
        if (description.getAnnotation(Ignore.class) != null) {
            test.flags |= Node.DISABLED;
        }
        return test;
    }

    /**
     * True if the runner of a class with a suite() method runs nothing but the class's own tests.
     * The method then returns {@code new TestSuite(X.class)} or
     * {@code new JUnit4TestAdapter(X.class)}.
     */
    static boolean holdsOwnTests(Class<?> c, Runner runner) {
        if (!(runner instanceof JUnit38ClassRunner)) {
            return false;
        }
        Test test = test((JUnit38ClassRunner) runner);
        return Junit3Check.holdsOwnTests(c, test)
                || test.getClass() == JUnit4TestAdapter.class && ((JUnit4TestAdapter) test).getTestClass() == c;
    }

    private static Test test(JUnit38ClassRunner runner) {
        Test test = (Test) PrivateMembers.get(runner, "test", "fTest");
        if (test == null) {
            throw new IllegalStateException("this JUnit keeps the test of a JUnit38ClassRunner in an unknown place");
        }
        return test;
    }

    /** A runner of which only the description is known. */
    private Node described(Description description, Object child) {
        if (description.getChildren().isEmpty()) {
            return leaf(child, description);
        }
        Node group = Node.group(description.getDisplayName(), child, description, null);
        for (Description each : description.getChildren()) {
            group.add(described(each, each));
        }
        return group;
    }

    @Override
    protected Description describe(Test test) {
        if (test instanceof Describable) {
            return ((Describable) test).getDescription();
        }
        if (test instanceof TestSuite) {
            String name = ((TestSuite) test).getName();
            boolean named = name != null && !name.isEmpty();
            return Description.createSuiteDescription(named ? name : test.getClass().getName());
        }
        return Description.createTestDescription(test.getClass(), name(test));
    }

    @Override
    protected Node leaf(Test test) {
        if (!(test instanceof JUnit4TestAdapter)) {
            return leaf(test, describe(test));
        }
        Description description = ((JUnit4TestAdapter) test).getDescription();
        Runner runner = (Runner) PrivateMembers.get(test, "fRunner");
        return runner == null ? described(description, test) : build(runner, test, description);
    }
}
