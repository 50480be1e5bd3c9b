package io.odfix.state;

import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.List;

/**
 * The objects of a capture, to find out quickly whether anything has changed since. Every object is
 * read again and compared with the values of the capture, without a new capture. Weak references
 * hold the objects, so the project's objects can be collected. In that case a new capture is made.
 * {@link HeapObserver} references the objects only in a run that asks for lines.
 */
final class CapturedObjects {
    /** Recorded in place of the first element of an array that was not captured. */
    static final Object END = new Object();

    private final WeakReference<Object[][]> frames;

    /**
     * @param met objects by number
     * @param seen what the captured values refer to, in the order of the capture
     */
    CapturedObjects(Object[] met, int nodes, Object[] seen, int seenCount) {
        frames = new WeakReference<Object[][]>(new Object[][] {Arrays.copyOf(met, nodes), Arrays.copyOf(seen, seenCount)});
    }

    /** While this is referenced, the objects are not collected. Null if they already were. */
    Object kept() {
        return frames.get();
    }

    /** The objects by number, or null if they were collected. */
    Object[] met() {
        Object[][] all = frames.get();
        return all == null ? null : all[0];
    }

    /** True if every value below the roots is unchanged. False also if that is unknown. */
    boolean same(Snapshot of, List<? extends Root> roots) {
        Object[][] all = frames.get();
        return all != null && new Comparison(of, all[0], all[1]).same(roots);
    }

    /** One comparison. */
    private static final class Comparison implements CollectionContent.Into {
        private final Snapshot of;
        private final Object[] met;
        private final Object[] seen;
        private int seenAt;
        /**
         * The position of the values of the collection that is being read, and the number of
         * remaining entries.
         */
        private int at;
        private int entries;
        private boolean some;
        private CollectionContent.Kind kind;
        private boolean differs;

        Comparison(Snapshot of, Object[] met, Object[] seen) {
            this.of = of;
            this.met = met;
            this.seen = seen;
        }

        boolean same(List<? extends Root> roots) {
            int next = 0;
            try {
                for (Root root : roots) {
                    if (root.gone() == of.has(root)) {
                        return false;
                    } else if (!of.has(root)) {
                        continue;
                    }
                    Object held = root.held();
                    long code = of.held(root.number);
                    if (root.primitive() != null ? (Long) held != code : !ref(held, code)) {
                        return false;
                    }
                    for (int end = of.reach(root.number); next < end; next++) {
                        if (of.begins(next) >= 0 && !node(next)) {
                            return false;
                        }
                    }
                }
                return next == of.nodes();
            } catch (RuntimeException | LinkageError e) {
                return false; // it changed during the comparison
            }
        }

        /** True if the reference is the same as before, or leads to an equal value. */
        private boolean ref(Object now, long code) {
            Object was = seen[seenAt++];
            if (code >= 0 || now == null || was == null || code == Snapshot.CUT) {
                return now == was || code == Snapshot.CUT;
            } else if (now instanceof NamedObject) {
                return now.equals(of.text(code));
            } else if (now == was && !changeable(now)) {
                return true;
            }
            return now.getClass() == was.getClass() && Shape.of(now.getClass()).kind == Shape.Kind.TEXT
                    && ValueText.value(now).equals(of.text(code));
        }

        private static boolean changeable(Object text) {
            return text instanceof StringBuilder || text instanceof StringBuffer || text instanceof java.util.Date;
        }

        private boolean node(int node) {
            Object o = met[node];
            Shape shape = of.shape(node);
            at = of.begins(node);
            switch (shape.kind) {
                case OBJECTS:
                    return elements((Object[]) o);
                case NUMBERS:
                    return numbers(o);
                case THREAD_LOCAL:
                    return ref(ThreadLocals.get((ThreadLocal<?>) o), of.at(at));
                default:
                    return fields(o, shape);
            }
        }

        private boolean fields(Object o, Shape shape) {
            for (int i = 0; i < shape.prims.length; i++) {
                if (FieldAccess.memory.bits(o, shape.prims[i], shape.types[i]) != of.at(at++)) {
                    return false;
                }
            }
            for (long offset : shape.refs) {
                if (!ref(FieldAccess.memory.ref(o, offset), of.at(at++))) {
                    return false;
                }
            }
            return shape.content == null || content(o, shape.content);
        }

        private boolean content(Object o, CollectionContent content) {
            long count = of.at(at++);
            some = count < 0;
            entries = (int) (some ? -1 - count : count);
            kind = content.kind;
            differs = false;
            content.read(o, this);
            return !differs && (some || entries == 0);
        }

        @Override
        public boolean take(Object key, Object value) {
            if (entries == 0) {
                differs = !some;
                return false;
            }
            entries--;
            if (!ref(key, of.at(at))) {
                differs = true;
            } else if (kind == CollectionContent.Kind.LIST) {
                at++;
            } else {
                differs = !ref(value, of.at(at + 2));
                at += 3;
            }
            return !differs;
        }

        private boolean elements(Object[] now) {
            if (now.length != of.at(at++)) {
                return false;
            }
            for (int i = 0; i < now.length; i++) {
                long code = of.at(at++);
                if (code == Snapshot.CUT && seen[seenAt] == END) {
                    seenAt++;
                    return true; // and all after it
                } else if (!ref(now[i], code)) {
                    return false;
                }
            }
            return true;
        }

        private boolean numbers(Object now) {
            int length = java.lang.reflect.Array.getLength(now);
            if (length > HeapWalker.SHORT) {
                return of.at(at) == length && of.at(at + 1) == PrimitiveArrays.digest(now, Math.min(length, HeapWalker.LONGEST));
            }
            for (int i = 0; i < length; i++) {
                if (of.at(at + 1 + i) != PrimitiveArrays.bits(now, i)) {
                    return false;
                }
            }
            return of.at(at) == length;
        }
    }
}
