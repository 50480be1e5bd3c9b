package io.odfix.state;

import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * The line that wrote the present value of a place, if it is certain: the line is the last one that
 * wrote to this object and slot, and the place has the value that it wrote. A call that writes into
 * a collection may have had no effect, or the element may have moved. If several lines may be the
 * cause, none is reported. Code that is not woven may have written, too. In that case the place has
 * another value, or the same.
 */
final class LastWriters {
    private final Map<Object, List<WriteLog.Write>> writes;
    private final Snapshot before;
    private final Object[] then;
    private final Snapshot after;
    private final Object[] now;

    /**
     * @param then objects by their number in the capture before, or null, and those in the capture
     *     after
     */
    LastWriters(Map<Object, List<WriteLog.Write>> writes, Snapshot before, Object[] then, Snapshot after, Object[] now) {
        this.writes = writes;
        this.before = before;
        this.then = then;
        this.after = after;
        this.now = now;
    }

    /** The line, or null if it is not known. */
    String of(Change c) {
        if (c.node < 0 || c.node >= now.length) {
            return null;
        }
        Object o = now[c.node];
        List<WriteLog.Write> all = to(o, c.holder);
        String line = null;
        for (int i = all.size() - 1; i >= 0; i--) {
            WriteLog.Write w = all.get(i);
            if (!concerns(w, c)) {
                continue;
            }
            boolean holds = holds(w, o, c);
            if (line == null) {
                if (!holds || w.line.kind == WriteLog.Kind.FIELD || w.line.kind == WriteLog.Kind.ELEMENT) {
                    return holds ? w.line.toString() : null;
                }
                line = w.line.toString();
            } else if ((holds || w.line.kind == WriteLog.Kind.REMOVE) && !line.equals(w.line.toString())) {
                return null;
            }
        }
        return line;
    }

    /** Writes to the object, or through a view of it that the JDK made. */
    private List<WriteLog.Write> to(Object o, int holder) {
        List<WriteLog.Write> all = writes.get(o);
        if (all == null && holder >= 0 && holder < now.length) {
            all = writes.get(now[holder]);
        }
        return all == null ? Collections.<WriteLog.Write>emptyList() : all;
    }

    /**
     * True for a write to that slot. A list's element may have been added at another index and have
     * moved.
     */
    private boolean concerns(WriteLog.Write w, Change c) {
        boolean gone = c.after.equals(ValueText.ABSENT);
        switch (w.line.kind) {
            case FIELD:
                return ("." + w.line.field).equals(c.slot);
            case ELEMENT:
                return c.slot.equals(w.key);
            case CLEAR:
                return !(c.slot instanceof String);
            case PUT:
                return c.slot instanceof Difference.Label && key(w.key, (Difference.Label) c.slot);
            default:
                return c.slot instanceof Difference.Label ? key(w.value, (Difference.Label) c.slot)
                        : c.slot instanceof Integer && (gone || w.line.kind == WriteLog.Kind.ADD && listed(w, c));
        }
    }

    /** True if the place still has the written value. */
    private boolean holds(WriteLog.Write w, Object o, Change c) {
        boolean gone = c.after.equals(ValueText.ABSENT);
        switch (w.line.kind) {
            case FIELD:
                return field(w, o, (String) c.slot);
            case ELEMENT:
                return element(w, o, (Integer) c.slot);
            case CLEAR:
                return gone;
            case REMOVE:
                return gone && c.slot instanceof Difference.Label;
            default:
                return !gone && (c.slot instanceof Difference.Label ? entry(w, o) : once(w, o) && !old(w.value, o));
        }
    }

    /** The only field of that name. */
    private boolean field(WriteLog.Write w, Object o, String slot) {
        if (!slot.equals("." + w.line.field)) {
            return false;
        }
        Shape shape = Shape.of(o.getClass());
        int prim = only(shape.primNames, slot);
        int ref = only(shape.refNames, slot);
        if (prim >= 0 && ref == -1) {
            return bits(w.value, shape.types[prim]) == FieldAccess.memory.bits(o, shape.prims[prim], shape.types[prim]);
        }
        return ref >= 0 && prim == -1 && same(w.value, FieldAccess.memory.ref(o, shape.refs[ref]));
    }

    /** The name's place, -1 if it is missing, -2 if it occurs twice. */
    private static int only(String[] names, String name) {
        int found = -1;
        for (int i = 0; i < names.length; i++) {
            if (names[i].equals(name)) {
                found = found == -1 ? i : -2;
            }
        }
        return found;
    }

    /**
     * A primitive that woven code recorded as an int, float, long or double, as bits of the type
     * that it is put into.
     */
    private static long bits(Object recorded, Class<?> type) {
        if (recorded instanceof Float) {
            return Float.floatToRawIntBits((Float) recorded);
        } else if (recorded instanceof Double) {
            return Double.doubleToRawLongBits((Double) recorded);
        } else if (!(recorded instanceof Number)) {
            return Long.MIN_VALUE;
        }
        long n = ((Number) recorded).longValue();
        return type == byte.class ? (byte) n : type == short.class ? (short) n : type == char.class ? (char) n : type == boolean.class ? n & 1 : n;
    }

    private static boolean element(WriteLog.Write w, Object o, int at) {
        if (!Integer.valueOf(at).equals(w.key) || !o.getClass().isArray() || at >= java.lang.reflect.Array.getLength(o)) {
            return false;
        } else if (o instanceof Object[]) {
            return same(w.value, ((Object[]) o)[at]);
        }
        return bits(w.value, o.getClass().getComponentType()) == PrimitiveArrays.bits(o, at);
    }

    /**
     * True if the list has the added element at this index. An element that was put at another
     * index and has moved does not count.
     */
    private boolean listed(final WriteLog.Write w, Change c) {
        final int at = (Integer) c.slot;
        return (w.key == null || w.key.equals(at)) && new Search(now[c.node]) {
            private int next;

            @Override
            boolean is(Object element, Object none) {
                return next++ == at && same(w.value, element);
            }
        }.found();
    }

    /** True if it occurs only once. Of two occurrences, one may be older and have moved. */
    private static boolean once(final WriteLog.Write w, Object o) {
        return !new Search(o) {
            private boolean one;

            @Override
            boolean is(Object element, Object none) {
                boolean another = one;
                boolean same = same(w.value, element);
                one |= same;
                return another && same;
            }
        }.found();
    }

    /** True if the list had that element before, or may have had it. */
    private boolean old(Object value, Object list) {
        int node = 0;
        while (then != null && node < then.length && then[node] != list) {
            node++;
        }
        if (then == null || node == then.length) {
            return false; // it is new
        }
        int at = before.begins(node);
        if (at < 0) {
            return true; // beyond the bounds
        }
        Shape shape = before.shape(node);
        at += shape.prims.length + shape.refs.length;
        long count = before.at(at);
        for (long k = count < 0 ? -1 - count : count; k > 0; k--) {
            if (key(value, new Difference.Label(before, before.at(++at), true))) {
                return true;
            }
        }
        return count < 0; // not all of it was captured
    }

    private static boolean entry(final WriteLog.Write w, Object o) {
        final boolean keyed = w.line.kind == WriteLog.Kind.PUT;
        final Object key = keyed ? w.key : w.value;
        return new Search(o) {
            @Override
            boolean is(Object found, Object value) {
                return same(key, found) && (!keyed || same(w.value, value));
            }
        }.found();
    }

    /** True for the key of the label. */
    private boolean key(Object key, Difference.Label label) {
        Snapshot in = label.old ? before : after;
        Object[] objects = label.old ? then : now;
        if (label.code == Snapshot.CUT || in == null) {
            return false;
        } else if (label.code == Snapshot.NULL) {
            return key == null;
        } else if (key == null) {
            return false;
        } else if (label.code > 0) {
            return objects != null && label.code <= objects.length && objects[(int) label.code - 1] == key;
        }
        Object text = key instanceof Enum ? new NamedObject(((Enum<?>) key).name(), 0) : text(key);
        return text != null && text.equals(in.text(label.code));
    }

    private static Object text(Object o) {
        return o != null && Shape.of(o.getClass()).kind == Shape.Kind.TEXT ? ValueText.value(o) : null;
    }

    /** Whether both are the same object, or equal values. */
    static boolean same(Object a, Object b) {
        Object text = a == b ? null : text(a);
        return a == b || text != null && text.equals(text(b));
    }

    /** Looks for something in a collection. */
    private abstract static class Search implements CollectionContent.Into {
        private final Object of;
        private boolean found;

        Search(Object of) {
            this.of = of;
        }

        abstract boolean is(Object key, Object value);

        @Override
        public final boolean take(Object key, Object value) {
            found = is(key, value);
            return !found;
        }

        final boolean found() {
            CollectionContent content = CollectionContent.in(of);
            if (content != null) {
                content.read(of, this);
            }
            return found;
        }
    }
}
