package io.odfix.harness.junit3;

import io.odfix.harness.order.Ids;
import io.odfix.harness.order.Node;
import io.odfix.harness.order.PrivateMembers;
import java.util.Enumeration;
import java.util.List;
import java.util.Vector;
import junit.extensions.RepeatedTest;
import junit.extensions.TestDecorator;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;

/**
 * The tree below a {@code junit.framework.Test}. Suites are pruned and reordered in place, so that
 * decorators and suites with their own code keep their types.
 */
public class TestTree {
    private final String launched;

    public TestTree(String launched) {
        this.launched = launched;
    }

    /** The tree of a launched class, always a group. */
    public Node root(Test test) {
        Node node = build(test);
        if (node.isTest()) {
            node = Node.group(launched, test, describe(test), null).add(node);
        }
        node.name = launched;
        return node;
    }

    public Node build(Test test) {
        if (test instanceof TestSuite) {
            return suite((TestSuite) test);
        }
        if (test instanceof TestDecorator) {
            return decorated((TestDecorator) test);
        }
        return leaf(test);
    }

    /** The object that events use for the test, if it is not the test itself. */
    protected Object describe(Test test) {
        return test;
    }

    protected Node leaf(Test test) {
        return Node.test(Ids.of(launched, test.getClass().getName(), name(test)), test, describe(test));
    }

    protected static String name(Test test) {
        return test instanceof TestCase ? ((TestCase) test).getName() : test.toString();
    }

    private Node suite(final TestSuite suite) {
        String name = suite.getName() == null ? suite.getClass().getName() : suite.getName();
        Node group = Node.group(name, suite, describe(suite), new Node.Branch() {
            @Override
            public void keep(List<Object> children) {
                replace(suite, children);
            }
        });
        for (Enumeration<?> all = suite.tests(); all.hasMoreElements(); ) {
            group.add(build((Test) all.nextElement()));
        }
        return group;
    }

    private Node decorated(TestDecorator decorator) {
        Node inner = build(decorator.getTest());
        if (decorator instanceof RepeatedTest && inner.isTest()) {
            Node repeated = Node.test(inner.name, decorator, inner.description);
            repeated.flags = Node.DYNAMIC | Node.LAZY;
            return repeated;
        }
        return Node.group(decorator.getClass().getName(), decorator, describe(decorator), null).add(inner);
    }

    /** The field is called fTests in every version from 3.8 to 4.13. */
    @SuppressWarnings("unchecked")
    private static void replace(TestSuite suite, List<Object> children) {
        Vector<Object> tests = (Vector<Object>) PrivateMembers.get(suite, "fTests");
        if (tests == null) {
            throw new IllegalStateException("this JUnit keeps a TestSuite's tests in an unknown place");
        }
        tests.clear();
        tests.addAll(children);
    }
}
