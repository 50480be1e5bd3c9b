package io.odfix.harness.order;

import java.util.ArrayList;
import java.util.List;

/** A group of tests, or one test, as a framework would run it. */
public final class Node {
    /** Will be reported as skipped. */
    public static final int DISABLED = 1;
    /** The project fixes the order of the children. */
    public static final int FIXED = 2;
    /** A test that makes its invocations while it runs. */
    public static final int DYNAMIC = 4;
    /** The children run once for each invocation of the group (a parameterised class). */
    public static final int TEMPLATE = 8;
    /**
     * A test that its framework starts and ends several times. It has ended when another test
     * begins.
     */
    public static final int LAZY = 16;
    /** The framework runs the children that are tests before those that are groups. */
    public static final int TESTS_FIRST = 128;
    /** The flags of the protocol. */
    public static final int PUBLIC = DISABLED | FIXED | DYNAMIC | TESTS_FIRST;

    /** Keeps only some children of a group, in a given order. */
    public interface Branch {
        void keep(List<Object> children);
    }

    /** The test's id, or the group's name. */
    public String name;
    /** What the framework runs: a child of its runner, a Test, a TestDescriptor. */
    public final Object child;
    /** The object that the framework's events use for it, if that is another object. */
    public final Object description;
    /** Null for a test. */
    public final List<Node> children;
    public int flags;

    Branch branch;
    public Node parent;
    /** Index in the current visit, or -1 if the visit leaves the test out. */
    public int slot = -1;

    private Node(String name, Object child, Object description, List<Node> children, Branch branch) {
        this.name = name;
        this.child = child;
        this.description = description;
        this.children = children;
        this.branch = branch;
    }

    public static Node test(String id, Object child, Object description) {
        return new Node(id, child, description, null, null);
    }

    public static Node group(String name, Object child, Object description, Branch branch) {
        return new Node(name, child, description, new ArrayList<Node>(), branch);
    }

    public Node add(Node node) {
        node.parent = this;
        children.add(node);
        return this;
    }

    public boolean isTest() {
        return children == null;
    }

    public boolean has(int flag) {
        return (flags & flag) != 0;
    }

    /** True if this is {@code node} or one of its parents. */
    public boolean holds(Node node) {
        for (Node n = node; n != null; n = n.parent) {
            if (n == this) {
                return true;
            }
        }
        return false;
    }

    /** The tests below, in order. */
    public List<Node> tests() {
        List<Node> all = new ArrayList<Node>();
        collect(all);
        return all;
    }

    /** This node and all below it. */
    public List<Node> all() {
        List<Node> all = new ArrayList<Node>();
        all.add(this);
        for (int i = 0; i < all.size(); i++) {
            if (!all.get(i).isTest()) {
                all.addAll(all.get(i).children);
            }
        }
        return all;
    }

    private void collect(List<Node> into) {
        if (isTest()) {
            into.add(this);
            return;
        }
        for (Node child : children) {
            child.collect(into);
        }
    }
}
