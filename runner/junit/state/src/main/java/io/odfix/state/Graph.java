package io.odfix.state;

import java.util.Arrays;

/**
 * A fingerprint of everything reachable from an object. A breadth-first walk numbers the objects in
 * its order, so that sharing and cycles count. The number of objects is limited. Two walks of an
 * unchanged graph agree. Not safe for concurrent use. Threads of the tests may change objects
 * during the walk.
 */
final class Graph {
    /** The most elements of a primitive array that are read. */
    private static final int LONGEST = 1 << 16;
    /** The most elements of an array of objects. */
    private static final int WIDEST = 1 << 18;

    private final int cap;
    private final Object[] met;
    private final Layout[] layouts; // of the visited objects
    private final RecentCache<Layout> recent = new RecentCache<Layout>() {
        @Override
        Layout find(Class<?> c) {
            return Layout.of(c);
        }
    };
    private final int[] table; // number + 1 of an object, by identity
    private final int mask;
    private int size;
    /** The largest of the walks since the last rest. */
    private int most;
    private long hash;
    private boolean whole;

    /** @param cap the most objects of one walk */
    Graph(int cap) {
        this.cap = cap;
        met = new Object[cap];
        layouts = new Layout[cap];
        mask = Integer.highestOneBit(cap * 4) - 1;
        table = new int[mask + 1];
    }

    /** The fingerprint. {@link #whole} is false afterwards if the walk did not visit everything. */
    long of(Object root) {
        hash = 7;
        whole = true;
        try {
            ref(root);
            for (int at = 0; at < size; at++) {
                visit(met[at], layouts[at]);
            }
        } catch (Throwable t) {
            whole = false; // a class that cannot be linked, or an object that changed during the walk
        } finally {
            forget();
        }
        return hash;
    }

    boolean whole() {
        return whole;
    }

    /** Removes all references to classes, because the walk is not used for a while. */
    void rest() {
        recent.forget();
        Arrays.fill(layouts, 0, most, null);
        most = 0;
    }

    private void forget() {
        if (size > table.length / 16) {
            Arrays.fill(table, 0);
        } else {
            for (int i = 0; i < size; i++) {
                clear(met[i]);
            }
        }
        Arrays.fill(met, 0, size, null);
        most = Math.max(most, size);
        size = 0;
    }

    /** Empties the whole cluster of slots that the object may be in. */
    private void clear(Object o) {
        for (int i = System.identityHashCode(o) & mask; table[i] != 0; i = i + 1 & mask) {
            table[i] = 0;
        }
    }

    private void mix(long value) {
        hash = (hash ^ value) * 0x9E3779B97F4A7C15L;
        hash ^= hash >>> 29;
    }

    private void ref(Object o) {
        if (o == null) {
            mix(1);
            return;
        }
        Layout layout = recent.of(o.getClass());
        if (layout.kind == Layout.Kind.TEXT) {
            mix(layout.name);
            mix(o.toString().hashCode());
        } else if (layout.kind == Layout.Kind.OPAQUE || Exclusions.ofProcess(o)) {
            mix(o instanceof Class ? ((Class<?>) o).getName().hashCode() : layout.name);
        } else {
            mix(number(o, layout));
        }
    }

    private long number(Object o, Layout layout) {
        int i = System.identityHashCode(o) & mask;
        while (table[i] != 0) {
            if (met[table[i] - 1] == o) {
                return table[i];
            }
            i = i + 1 & mask;
        }
        if (size == cap) {
            whole = false;
            return layout.name;
        }
        layouts[size] = layout;
        met[size++] = o;
        table[i] = size;
        return layout.name + size;
    }

    private void visit(Object o, Layout layout) {
        if (layout.kind == Layout.Kind.ARRAY) {
            array(o, layout.component, false);
            return;
        } else if (layout.kind == Layout.Kind.THREAD_LOCAL) {
            ref(ThreadLocals.get((ThreadLocal<?>) o));
            return;
        }
        for (int i = 0; i < layout.prims.length; i++) {
            mix(FieldAccess.memory.bits(o, layout.prims[i], layout.types[i]));
        }
        for (long offset : layout.refs) {
            Object held = FieldAccess.memory.ref(o, offset);
            if (layout.kind == Layout.Kind.LOOSE && held instanceof Object[]) {
                array(held, Object.class, true);
            } else {
                ref(held);
            }
        }
    }

    /**
     * @param loose nulls and the length do not count, because the array is a collection's storage
     */
    private void array(Object o, Class<?> component, boolean loose) {
        if (component.isPrimitive()) {
            primitives(o);
            return;
        }
        Object[] all = (Object[]) o;
        if (!loose) {
            mix(all.length);
        }
        int end = Math.min(all.length, WIDEST);
        whole &= end == all.length;
        for (int i = 0; i < end; i++) {
            if (all[i] == null) {
                continue;
            }
            if (!loose) {
                mix(i);
            }
            ref(all[i]);
            if (!whole && size == cap) {
                return;
            }
        }
    }

    private void primitives(Object o) {
        int length = java.lang.reflect.Array.getLength(o);
        mix(length);
        whole &= length <= LONGEST;
        if (o instanceof byte[] && length <= LONGEST) {
            mix(Arrays.hashCode((byte[]) o));
        } else if (o instanceof char[] && length <= LONGEST) {
            mix(Arrays.hashCode((char[]) o));
        } else if (o instanceof int[] && length <= LONGEST) {
            mix(Arrays.hashCode((int[]) o));
        } else if (o instanceof long[] && length <= LONGEST) {
            mix(Arrays.hashCode((long[]) o));
        } else if (o instanceof boolean[] && length <= LONGEST) {
            mix(Arrays.hashCode((boolean[]) o));
        } else if (o instanceof double[] && length <= LONGEST) {
            mix(Arrays.hashCode((double[]) o));
        } else if (o instanceof float[] && length <= LONGEST) {
            mix(Arrays.hashCode((float[]) o));
        } else if (o instanceof short[] && length <= LONGEST) {
            mix(Arrays.hashCode((short[]) o));
        }
    }
}
