package io.odfix.state;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The shape of everything reachable at one moment, and its values: a heap-shared state (Gyori et
 * al., ISSTA 2015, definition 1). It references no object of the project. Objects are numbers, and
 * references are codes.
 */
final class Snapshot {
    /** Codes: an object is its number + 1, a text -(its number + 1). */
    static final long NULL = 0;
    /** The code of something beyond the limits of the capture. It equals anything. */
    static final long CUT = Long.MIN_VALUE;

    private Root[] roots;
    private long[] held;
    private int[] reach;
    /**
     * By number of a root: the earlier roots that reach some of the same objects. Null if there are
     * none.
     */
    private BitSet[] shared;
    private int rooted;

    private Shape[] shapes;
    private int[] begins;
    private String[] labels;
    private int nodes;

    private long[] data;
    private int used;

    private Object[] texts;
    private int texted;

    /** Something was beyond the limits. */
    boolean cut;
    /** The first root with more objects than are captured, or null. */
    String large;
    /** The first root for which the other roots left too little of the common limit, or null. */
    String beyondLimit;

    /** Where each referenced object was found. Null if that was not kept. */
    CapturedObjects captured;

    Snapshot() {
        this(null);
    }

    /** @param like another one, of about the same size, or null */
    Snapshot(Snapshot like) {
        roots = new Root[like == null ? 4 : like.rooted + 16];
        held = new long[roots.length];
        reach = new int[roots.length];
        shared = new BitSet[roots.length];
        shapes = new Shape[like == null ? 16 : like.nodes + 64];
        begins = new int[shapes.length];
        labels = new String[shapes.length];
        data = new long[like == null ? 64 : like.used + 256];
        texts = new Object[like == null ? 16 : like.texted + 64];
    }

    void root(Root root, long code) {
        if (root.number >= roots.length) {
            roots = Arrays.copyOf(roots, Math.max(2 * roots.length, root.number + 1));
            held = Arrays.copyOf(held, roots.length);
            reach = Arrays.copyOf(reach, roots.length);
            shared = Arrays.copyOf(shared, roots.length);
        }
        roots[root.number] = root;
        held[root.number] = code;
        rooted = Math.max(rooted, root.number + 1);
    }

    /** All objects below the root have been visited. These are the nodes so far. */
    void reached(Root root, int nodes) {
        reach[root.number] = nodes;
    }

    /** An earlier root has already reached some object below the root. */
    void shares(int root, int with) {
        if (shared[root] == null) {
            shared[root] = new BitSet();
        }
        shared[root].set(with);
    }

    /** Adds the roots that also reach an object below one of these, or may reach one. */
    void reaching(BitSet some) {
        for (int i = 0; i < rooted; i++) {
            if (shared[i] != null && shared[i].intersects(some)) {
                some.set(i);
            }
        }
    }

    int reach(int root) {
        return reach[root];
    }

    boolean has(Root root) {
        return root.number < rooted && roots[root.number] == root;
    }

    boolean has(int root) {
        return root < rooted && roots[root] != null;
    }

    long held(int root) {
        return held[root];
    }

    int node(Shape shape, String label) {
        if (nodes == shapes.length) {
            shapes = Arrays.copyOf(shapes, 2 * nodes);
            begins = Arrays.copyOf(begins, 2 * nodes);
            labels = Arrays.copyOf(labels, 2 * nodes);
        }
        shapes[nodes] = shape;
        labels[nodes] = label;
        begins[nodes] = -1;
        return nodes++;
    }

    long text(Object value) {
        if (texted == texts.length) {
            texts = Arrays.copyOf(texts, 2 * texted);
        }
        texts[texted++] = value;
        return -(long) texted;
    }

    void begin(int node) {
        begins[node] = used;
    }

    /** Removes the values of the node, which then counts as not visited. */
    void forget(int node, int mark) {
        used = mark;
        begins[node] = -1;
    }

    void add(long value) {
        if (used == data.length) {
            data = Arrays.copyOf(data, 2 * used);
        }
        data[used++] = value;
    }

    /** Where the next value will be, for a count that is known later. */
    int mark() {
        return used;
    }

    void set(int at, long value) {
        data[at] = value;
    }

    int nodes() {
        return nodes;
    }

    int rooted() {
        return rooted;
    }

    Shape shape(int node) {
        return shapes[node];
    }

    /** The name of an enum constant, or null. */
    String label(int node) {
        return labels[node];
    }

    /** The position of the node's first value, or -1 if it was not visited. */
    int begins(int node) {
        return begins[node];
    }

    long at(int i) {
        return data[i];
    }

    Object text(long code) {
        return texts[(int) (-code - 1)];
    }

    /**
     * True if all values of both are equal, including the roots. Most captures of a run are equal.
     */
    boolean same(Snapshot o) {
        if (rooted != o.rooted || nodes != o.nodes || used != o.used || texted != o.texted || cut != o.cut) {
            return false;
        }
        for (int i = 0; i < rooted; i++) {
            if (roots[i] != o.roots[i] || held[i] != o.held[i]) {
                return false;
            }
        }
        for (int i = 0; i < nodes; i++) {
            if (shapes[i] != o.shapes[i] || begins[i] != o.begins[i]) {
                return false;
            }
        }
        for (int i = 0; i < used; i++) {
            if (data[i] != o.data[i]) {
                return false;
            }
        }
        for (int i = 0; i < texted; i++) {
            if (texts[i] != o.texts[i] && !texts[i].equals(o.texts[i])) {
                return false;
            }
        }
        return true;
    }
}
