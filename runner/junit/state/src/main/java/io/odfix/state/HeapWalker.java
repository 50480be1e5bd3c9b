package io.odfix.state;

import java.util.Arrays;
import java.util.List;

/**
 * Takes captures: a breadth-first walk from roots that calls no code of the project and visits a
 * limited number of objects, for each root and in total. Not safe for concurrent use. Threads of
 * the tests may change objects during the walk.
 */
final class HeapWalker {
    /** Objects and elements, of one root and of one capture. */
    static final int MOST_OF_ROOT = 50000;
    static final int MOST = 200000;
    /**
     * The number of objects that are captured of each root even if earlier roots used up the limit,
     * and the reserve for them.
     */
    static final int LEAST_OF_ROOT = 50;
    private static final int RESERVE = 50000;
    /**
     * The maximal number of elements of an array of numbers that are kept individually, and that
     * are read.
     */
    static final int SHORT = 256;
    static final int LONGEST = 1 << 16;
    /** The number of array elements that cost as much as an object. */
    private static final int ELEMENTS_PER_OBJECT = 8;

    private final Identities identities;
    private final RecentCache<Shape> recent = new RecentCache<Shape>() {
        @Override
        Shape find(Class<?> c) {
            return Shape.of(c);
        }
    };
    private Object[] met = new Object[1024];
    private int[] table = new int[4096]; // number + 1 of an object, by identity
    /** The number of the root from which an object was first reached. */
    private int[] owners = new int[1024];
    private int root;
    private Snapshot to;
    private int budget;
    /**
     * The highest number that an object may get. Without this limit, the many elements of one
     * collection would leave no numbers for later roots.
     */
    private int full;
    private int left;
    private int done;
    /** The referenced objects, in order. */
    private Object[] seen = new Object[1024];
    private int seenCount;

    HeapWalker(Identities identities) {
        this.identities = identities;
    }

    /** @param like the capture before, or null */
    Snapshot capture(List<? extends Root> roots, int most, Snapshot like) {
        to = new Snapshot(like);
        left = most;
        done = 0;
        try {
            for (Root root : roots) {
                if (!root.gone()) {
                    capture(root);
                }
            }
            to.captured = new CapturedObjects(met, to.nodes(), seen, seenCount);
            return to;
        } finally {
            forget();
            to = null;
        }
    }

    private void capture(Root root) {
        int share = Math.min(left, MOST_OF_ROOT);
        budget = Math.max(share, LEAST_OF_ROOT);
        int before = budget;
        full = to.nodes() + 1 + budget; // what it holds, and all that this leads to
        Object held = root.held();
        this.root = root.number;
        to.root(root, Snapshot.NULL);
        to.root(root, root.primitive() != null ? (Long) held : held(held));
        for (; done < to.nodes(); done++) {
            if (budget > 0) {
                visit(done);
            } else {
                to.cut = true; // it and all after it stay unseen
            }
        }
        to.reached(root, done);
        left -= before - Math.max(budget, 0);
        if (budget > 0) {
            return;
        }
        if (share < MOST_OF_ROOT && to.beyondLimit == null) {
            to.beyondLimit = root.name;
        } else if (share == MOST_OF_ROOT && to.large == null) {
            to.large = root.name;
        }
    }

    private void forget() {
        recent.forget();
        Arrays.fill(seen, 0, seenCount, null);
        seenCount = 0;
        if (seen.length > 1 << 18) {
            seen = new Object[1024];
        }
        Arrays.fill(met, 0, to.nodes(), null);
        Arrays.fill(table, 0);
        if (met.length > 1 << 16) {
            met = new Object[1024];
            owners = new int[1024];
            table = new int[4096];
        }
    }

    private void visit(int node) {
        budget--;
        Object o = met[node];
        Shape shape = to.shape(node);
        int at = to.mark();
        int seenAt = seenCount;
        to.begin(node);
        try {
            switch (shape.kind) {
                case OBJECTS:
                    elements((Object[]) o);
                    break;
                case NUMBERS:
                    numbers(o);
                    break;
                case THREAD_LOCAL:
                    to.add(ref(ThreadLocals.get((ThreadLocal<?>) o)));
                    break;
                default:
                    fields(o, shape);
            }
        } catch (RuntimeException | LinkageError e) {
            unseen(node, at, seenAt); // it changed under the walk
        }
    }

    private void unseen(int node, int at, int seenAt) {
        Arrays.fill(seen, seenAt, seenCount, null);
        seenCount = seenAt;
        to.forget(node, at);
        to.cut = true;
    }

    private void fields(Object o, Shape shape) {
        for (int i = 0; i < shape.prims.length; i++) {
            to.add(FieldAccess.memory.bits(o, shape.prims[i], shape.types[i]));
        }
        for (long offset : shape.refs) {
            to.add(ref(FieldAccess.memory.ref(o, offset)));
        }
        if (shape.content != null) {
            content(o, shape.content);
        }
    }

    /** A count, and for each entry the key's code, its identity and the value's code. */
    private void content(Object o, final CollectionContent content) {
        final int at = to.mark();
        to.add(0);
        content.read(o, new CollectionContent.Into() {
            @Override
            public boolean take(Object key, Object value) {
                if (budget <= 0) {
                    to.cut = true;
                    return false;
                }
                to.set(at, to.at(at) + 1);
                budget -= content.kind == CollectionContent.Kind.MAP || to.at(at) % ELEMENTS_PER_OBJECT == 0 ? 1 : 0;
                if (content.kind == CollectionContent.Kind.LIST) {
                    to.add(ref(key));
                    return true;
                }
                key(key);
                to.add(ref(value));
                return true;
            }
        });
        if (budget <= 0) {
            to.set(at, -1 - to.at(at)); // not all of them
        }
    }

    private void key(Object key) {
        if (key instanceof Enum) {
            see(key);
            to.add(to.text(new NamedObject(((Enum<?>) key).name(), 0)));
            to.add(0);
            return;
        }
        long code = ref(key);
        to.add(code);
        to.add(code > 0 && code != Snapshot.CUT ? identities.of(key) : 0);
    }

    private void elements(Object[] all) {
        to.add(all.length);
        int end = Math.min(all.length, Math.max(0, budget) * ELEMENTS_PER_OBJECT);
        budget -= end / ELEMENTS_PER_OBJECT;
        for (int i = 0; i < all.length; i++) {
            if (i >= end) {
                see(CapturedObjects.END);
                to.add(Snapshot.CUT);
                to.cut = true;
                return;
            }
            to.add(ref(all[i]));
        }
    }

    private void numbers(Object o) {
        int length = java.lang.reflect.Array.getLength(o);
        to.add(length);
        budget -= Math.min(length, LONGEST) / 64;
        if (length > SHORT) {
            to.cut |= length > LONGEST;
            to.add(PrimitiveArrays.digest(o, Math.min(length, LONGEST)));
            return;
        }
        for (int i = 0; i < length; i++) {
            to.add(PrimitiveArrays.bits(o, i));
        }
    }

    private void see(Object o) {
        if (seenCount == seen.length) {
            seen = Arrays.copyOf(seen, 2 * seenCount);
        }
        seen[seenCount++] = o;
    }

    /** What a root itself holds. Below other roots, the system properties are not walked. */
    private long held(Object o) {
        if (!Exclusions.ofProcess(o)) {
            return ref(o);
        }
        see(o);
        return number(o, recent.of(o.getClass()));
    }

    private long ref(Object o) {
        see(o);
        if (o == null) {
            return Snapshot.NULL;
        } else if (o instanceof NamedObject) {
            return to.text(o);
        }
        Shape shape = recent.of(o.getClass());
        if (shape.kind == Shape.Kind.TEXT) {
            return to.text(ValueText.value(o));
        } else if (shape.kind == Shape.Kind.OPAQUE || Exclusions.ofProcess(o)) {
            return to.text(o instanceof Class ? new NamedObject(((Class<?>) o).getName(), 0) : shape.opaque);
        }
        return number(o, shape);
    }

    private long number(Object o, Shape shape) {
        int mask = table.length - 1;
        int i = System.identityHashCode(o) & mask;
        while (table[i] != 0) {
            if (met[table[i] - 1] == o) {
                if (owners[table[i] - 1] != root) {
                    to.shares(root, owners[table[i] - 1]);
                }
                return table[i];
            }
            i = i + 1 & mask;
        }
        if (to.nodes() >= full || to.nodes() >= MOST + RESERVE) {
            to.cut = true;
            return Snapshot.CUT;
        }
        int node = to.node(shape, shape.constant ? ((Enum<?>) o).name() : null);
        if (node == met.length) {
            met = Arrays.copyOf(met, 2 * node);
            owners = Arrays.copyOf(owners, met.length);
        }
        met[node] = o;
        owners[node] = root;
        table[i] = node + 1;
        if (node * 4 > table.length) {
            rehash(node + 1);
        }
        return node + 1;
    }

    private void rehash(int nodes) {
        table = new int[4 * table.length];
        int mask = table.length - 1;
        for (int n = 0; n < nodes; n++) {
            int i = System.identityHashCode(met[n]) & mask;
            while (table[i] != 0) {
                i = i + 1 & mask;
            }
            table[i] = n + 1;
        }
    }
}
