package io.odfix.state;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds other static fields that lead to an object whose change is reported for one field. A test
 * that reads one of these may also see the change. Only fields that share an object with the
 * reported one are walked.
 */
final class ReferencingFields {
    /** The most fields that are walked for one comparison. */
    private static final int MOST = 64;

    private final Snapshot in;
    private final Map<Integer, BitSet> below = new HashMap<Integer, BitSet>();
    private int[] open = new int[64];
    private int waiting;

    ReferencingFields(Snapshot in) {
        this.in = in;
    }

    /** Completes the changes. False if not all fields were walked. */
    boolean complete(List<Change> changes, List<Root> roots) {
        boolean all = true;
        for (Change c : changes) {
            if (c.node < 0 || c.root.number >= roots.size() || roots.get(c.root.number) != c.root) {
                continue;
            }
            BitSet some = new BitSet();
            some.set(c.root.number);
            in.reaching(some);
            some.clear(c.root.number);
            for (int i = some.nextSetBit(0); i >= 0; i = some.nextSetBit(i + 1)) {
                if (roots.get(i).observed() == null) {
                    continue;
                } else if (below.size() >= MOST && !below.containsKey(i)) {
                    all = false;
                } else if (below(i).get(c.node)) {
                    c.also.add(roots.get(i));
                }
            }
        }
        return all;
    }

    private BitSet below(int root) {
        BitSet met = below.get(root);
        if (met == null) {
            met = new BitSet(in.nodes());
            below.put(root, met);
            meet(in.held(root), met);
            while (waiting > 0) {
                leave(open[--waiting], met);
            }
        }
        return met;
    }

    private void meet(long code, BitSet met) {
        if (code <= 0 || met.get((int) code - 1)) {
            return;
        }
        met.set((int) code - 1);
        if (waiting == open.length) {
            open = Arrays.copyOf(open, 2 * waiting);
        }
        open[waiting++] = (int) code - 1;
    }

    /** Visits the nodes that a node refers to. */
    private void leave(int node, BitSet met) {
        int at = in.begins(node);
        Shape shape = in.shape(node);
        if (at < 0 || shape.kind == Shape.Kind.NUMBERS) {
            return;
        }
        if (shape.kind == Shape.Kind.OBJECTS) {
            long length = in.at(at++);
            for (long k = 0; k < length && in.at(at) != Snapshot.CUT; k++) { // after a cut there is nothing
                meet(in.at(at++), met);
            }
        } else if (shape.kind == Shape.Kind.THREAD_LOCAL) {
            meet(in.at(at), met);
        } else {
            at += shape.prims.length;
            for (int k = 0; k < shape.refs.length; k++) {
                meet(in.at(at++), met);
            }
            if (shape.content != null) {
                entries(at, shape.content.kind == CollectionContent.Kind.LIST ? 1 : 3, met);
            }
        }
    }

    /** An entry of a map or set has a key, its identity, and a value. */
    private void entries(int at, int width, BitSet met) {
        long count = in.at(at) < 0 ? -1 - in.at(at) : in.at(at);
        for (int entry = at + 1; count > 0; count--, entry += width) {
            meet(in.at(entry), met);
            if (width == 3) {
                meet(in.at(entry + 2), met);
            }
        }
    }
}
