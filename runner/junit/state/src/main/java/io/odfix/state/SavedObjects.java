package io.odfix.state;

import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Saves the content of objects, and restores it. Every object below a saved one is saved, too, and
 * gets its own values back, so that all references to it lead to the old content. Immutable
 * objects, objects of {@link Layout.Kind#OPAQUE} (threads, class loaders, locks), and the system
 * properties stay unchanged. Not safe for concurrent use. Threads that use the objects at the same
 * time see the changes.
 */
final class SavedObjects {
    /** The most objects that are kept. */
    private static final int MOST = 200000;

    private final Map<Object, Entry> entries = new IdentityHashMap<Object, Entry>();
    private final List<Object> todo = new ArrayList<Object>();
    private boolean whole = true;
    private boolean weak;

    /** The content of one object. */
    private abstract static class Entry {
        abstract void restore(Object o);
    }

    /** False if there were more objects than the limit. */
    boolean whole() {
        return whole;
    }

    /** True if an object has weak references, which stay unchanged. */
    boolean weak() {
        return weak;
    }

    /** Saves the object and all objects below it. */
    void keep(Object root) {
        meet(root);
        while (!todo.isEmpty()) {
            Object o = todo.remove(todo.size() - 1);
            entries.put(o, entry(o));
        }
    }

    /** Restores the content of every saved object. */
    void restore() {
        for (Map.Entry<Object, Entry> e : entries.entrySet()) {
            if (e.getValue() != null) { // null: it could not be saved, and its result has the reason
                e.getValue().restore(e.getKey());
            }
        }
    }

    private void meet(Object o) {
        if (o == null || entries.containsKey(o) || Exclusions.ofProcess(o)) {
            return;
        }
        if (Layout.of(o.getClass()).immutable(o.getClass())) {
            weak |= o instanceof WeakReference || o instanceof SoftReference || o instanceof WeakHashMap;
            return;
        }
        if (entries.size() == MOST) {
            whole = false;
            return;
        }
        entries.put(o, null); // already visited
        todo.add(o);
    }

    private Entry entry(Object o) {
        Class<?> c = o.getClass();
        if (c.isArray()) {
            return array(o, c.getComponentType());
        }
        if (o instanceof ThreadLocal) {
            return local((ThreadLocal<?>) o);
        }
        final InstanceFields slots = InstanceFields.of(c);
        final Object[] references = slots.references(o);
        final long[] primitives = slots.primitives(o);
        for (Object held : references) {
            meet(held);
        }
        return new Entry() {
            @Override
            void restore(Object to) {
                slots.put(to, references, primitives);
            }
        };
    }

    private Entry array(Object o, Class<?> component) {
        final int length = Array.getLength(o);
        final Object copy = Array.newInstance(component, length);
        System.arraycopy(o, 0, copy, 0, length);
        if (!component.isPrimitive()) {
            for (Object held : (Object[]) copy) {
                meet(held);
            }
        }
        return new Entry() {
            @Override
            void restore(Object to) {
                System.arraycopy(copy, 0, to, 0, length);
            }
        };
    }

    /** The value of a thread local in the present thread. */
    private Entry local(ThreadLocal<?> local) {
        final Object held = ThreadLocals.get(local);
        meet(held);
        return new Entry() {
            @Override
            void restore(Object to) {
                @SuppressWarnings("unchecked")
                ThreadLocal<Object> mine = (ThreadLocal<Object>) to;
                if (ThreadLocals.get(mine) == held) {
                    return;
                }
                if (held == null) {
                    mine.remove();
                } else {
                    mine.set(held);
                }
            }
        };
    }
}
