package io.odfix.state;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The shape of what could be reached at one moment, and the values in it: a heap-shared state
 * (Gyori et al., ISSTA 2015, definition 1). It refers to no object of the project. Objects are
 * numbers; what refers to one is a code.
 */
final class Snapshot {
    /** Codes: an object is its number + 1, a text -(its number + 1). */
    static final long NULL = 0;
    /** What was beyond the bounds of the capture: it equals anything. */
    static final long CUT = Long.MIN_VALUE;

    private Root[] roots;
    private long[] held;
    private int[] reach;
    /**
     * By number of a root: those before it that met a part of what it leads to; null if there
     * are none.
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

    /** Something was beyond the bounds. */
    boolean cut;
    /** The first root that leads to more than is captured, or null. */
    String large;
    /** The first root for which all the roots together left too little, or null. */
    String beyondLimit;

    /** Where everything that it refers to was found; null where that was not kept. */
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

    /** All that the root leads to has been met; these are the nodes so far. */
    void reached(Root root, int nodes) {
        reach[root.number] = nodes;
    }

    /** A part of what the root leads to was met before, from another root. */
    void shares(int root, int with) {
        if (shared[root] == null) {
            shared[root] = new BitSet();
        }
        shared[root].set(with);
    }

    /** Adds the roots that lead, too, to something that was met by one of these, or may do so. */
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

    /** Takes back what was added for the node, which counts as not looked into. */
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

    /** Where the node's values begin, or -1 where it was not looked into. */
    int begins(int node) {
        return begins[node];
    }

    long at(int i) {
        return data[i];
    }

    Object text(long code) {
        return texts[(int) (-code - 1)];
    }

    /** True where both are one to the last value, roots included: most captures of a run are. */
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
