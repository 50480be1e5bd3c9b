package io.odfix.harness.order;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Computes which part of an order one visit of a tree can run, and changes the tree to run only
 * that.
 */
public final class Tree {
    private Tree() {}

    /** Appends {@code ~2}, {@code ~3} to the second and third occurrence of an id below root. */
    public static void number(Node root) {
        Map<String, Integer> seen = new HashMap<String, Integer>();
        for (Node test : root.tests()) {
            Integer before = seen.get(test.name);
            int now = before == null ? 1 : before + 1;
            seen.put(test.name, now);
            if (now > 1) {
                test.name += "~" + now;
            }
        }
    }

    /** The tests below root by id. */
    public static Map<String, Node> index(Node root) {
        Map<String, Node> byId = new HashMap<String, Node>();
        for (Node test : root.tests()) {
            byId.put(test.name, test);
        }
        return byId;
    }

    /**
     * The longest part of the order, from position {@code from}, that one visit of root can run. It
     * ends before a test that root does not have, before a test that is already in the part, and
     * before a test of a group that the part has left. It is empty if root does not have the first
     * test.
     */
    public static List<Node> prefix(Node root, List<String> order, int from) {
        Map<String, Node> byId = index(root);
        Set<Node> closed = new HashSet<Node>();
        List<Node> visit = new ArrayList<Node>();
        Node last = null;
        for (int i = from; i < order.size(); i++) {
            Node test = byId.get(order.get(i));
            if (test == null || reenters(test, closed)) {
                break;
            }
            close(last, test, closed);
            closed.add(test);
            visit.add(test);
            last = test;
        }
        return visit;
    }

    private static boolean reenters(Node test, Set<Node> closed) {
        for (Node n = test; n != null; n = n.parent) {
            if (closed.contains(n)) {
                return true;
            }
        }
        return false;
    }

    /** Closes the groups around {@code last} that do not contain {@code next}. */
    private static void close(Node last, Node next, Set<Node> closed) {
        for (Node n = last == null ? null : last.parent; n != null && !n.holds(next); n = n.parent) {
            closed.add(n);
        }
    }

    /**
     * Changes the frameworks' objects below root so that they have only the wanted tests, in the
     * wanted order.
     *
     * @return false if a group that has to change cannot be changed
     */
    public static boolean arrange(Node root, List<Node> wanted) {
        final Map<Node, Integer> rank = new HashMap<Node, Integer>();
        for (int i = 0; i < wanted.size(); i++) {
            for (Node n = wanted.get(i); n != null && !rank.containsKey(n); n = n.parent) {
                rank.put(n, i);
            }
        }
        return arrange(root, rank);
    }

    private static boolean arrange(Node group, final Map<Node, Integer> rank) {
        List<Node> kept = new ArrayList<Node>();
        for (Node child : group.children) {
            if (rank.containsKey(child)) {
                kept.add(child);
            }
        }
        Collections.sort(kept, new Comparator<Node>() {
            @Override
            public int compare(Node a, Node b) {
                return rank.get(a).compareTo(rank.get(b));
            }
        });
        boolean done = true;
        for (Node child : kept) {
            if (!child.isTest()) {
                done &= arrange(child, rank);
            }
        }
        // An unchanged group is not set again, so that its runner keeps its own state.
        if (kept.equals(group.children)) {
            return done;
        }
        if (group.branch == null) {
            return false;
        }
        List<Object> children = new ArrayList<Object>();
        for (Node child : kept) {
            children.add(child.child);
        }
        group.branch.keep(children);
        return done;
    }

    /** True if the visit is everything below root, as the framework itself would run it. */
    public static boolean isWhole(Node root, List<Node> visit) {
        return root.tests().equals(visit);
    }

    /**
     * The ids of {@code visit} in another tree of the same class, or null if one is missing.
     */
    public static List<Node> same(List<Node> visit, Node root) {
        Map<String, Node> byId = index(root);
        List<Node> found = new ArrayList<Node>();
        for (Node node : visit) {
            Node other = byId.get(node.name);
            if (other == null) {
                return null;
            }
            found.add(other);
        }
        return found;
    }
}
