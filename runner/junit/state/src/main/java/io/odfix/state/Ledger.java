package io.odfix.state;

import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * What objects hold, slot by slot: identities of what they refer to, and bits. Unlike a {@link Snapshot} it keeps the objects
 * alive, leaves out no cache and no capacity, and knows the way back; unlike a {@link Journal} it can be added to and asked
 * what differs. Nothing of the project is called. What can be neither compared nor put back is left out by {@link #treatment}.
 * Not safe for concurrent use.
 */
final class Ledger {
    /** Objects, and array elements by the dozen, that are remembered. */
    static final int MOST = 500000;
    private static final int DOZEN = 12;

    /** How objects of a class are treated. */
    enum Treatment {
        /** Not at all: it never changes, is the JVM's own, or cannot be read. */
        SKIPPED,
        PLAIN,
        ARRAY,
        /** What it refers to weakly is held, so that it stays; whether it still is there can be seen, not put back. */
        REFERENCE,
        /** It stands for something of the operating system: a change is seen, and never put back. */
        FIXED
    }

    private static final ClassValue<Treatment> TREATMENTS = new ClassValue<Treatment>() {
        @Override
        protected Treatment computeValue(Class<?> c) {
            return treatment(c);
        }
    };

    private static final String[] SKIPPED = {
        "java.lang.reflect.", "java.lang.invoke.", "java.lang.Module", "java.lang.Process", "java.lang.StackTraceElement",
        "java.lang.Shutdown", "java.security.ProtectionDomain", "java.security.AccessControlContext", "java.security.CodeSource",
        "java.nio.channels.", "sun.", "jdk.", "io.odfix.",
    };

    private static final String[] FIXED = {"java.io.FileDescriptor", "java.util.zip.", "java.util.jar.", "java.net.Socket", "java.net.ServerSocket",
        "java.net.DatagramSocket", "java.net.MulticastSocket", "java.net.AbstractPlain"};

    private final Map<Object, Entry> entries = new IdentityHashMap<Object, Entry>();
    private final List<Entry> all = new ArrayList<Entry>();
    private final List<Entry> todo = new ArrayList<Entry>();
    private long size;

    /** What one object, or the static fields of one class, held. */
    abstract static class Entry {
        /** It belongs to a framework for tests, mocks or logging: see {@link Living}. */
        final boolean lax;
        final boolean fixed;

        Entry(boolean lax, boolean fixed) {
            this.lax = lax;
            this.fixed = fixed;
        }

        /** True where it holds what it held. */
        abstract boolean same();

        abstract void back();

        /** What it holds now is what it is to hold. */
        abstract void renew();

        /** What it refers to, as remembered. */
        abstract Object[] refs();

        /** Equal numbers for equal contents, as a rule different ones for others. */
        abstract long print();

        abstract String name();

        /** True of what collections of the JDK are made of. */
        boolean collects() {
            return false;
        }
    }

    private static boolean collection(Class<?> c) {
        String name = c.getName();
        return name.startsWith("java.util.") && c != java.util.Random.class && !name.startsWith("java.util.concurrent.atomic.");
    }

    private static Treatment treatment(Class<?> c) {
        if (c.isArray()) {
            return Treatment.ARRAY;
        }
        String name = c.getName();
        if (begins(name, SKIPPED) || isA(c, Class.class, ClassLoader.class, Thread.class, ThreadGroup.class, Throwable.class,
                java.lang.ref.PhantomReference.class) || name.startsWith("java.lang.ref.Final")) {
            return Treatment.SKIPPED;
        }
        Layout layout = Layout.of(c);
        if (layout.kind == Layout.Kind.TEXT && layout.immutable(c)) {
            return Treatment.SKIPPED;
        } else if (Reference.class.isAssignableFrom(c)) {
            return Treatment.REFERENCE;
        }
        return Slots.of(c).none() ? Treatment.SKIPPED : begins(name, FIXED) ? Treatment.FIXED : Treatment.PLAIN;
    }

    private static boolean begins(String name, String[] any) {
        for (String prefix : any) {
            if (name.startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isA(Class<?> c, Class<?>... parents) {
        for (Class<?> parent : parents) {
            if (parent.isAssignableFrom(c)) {
                return true;
            }
        }
        return false;
    }

    List<Entry> all() {
        return all;
    }

    /** False where there was more than is remembered. */
    boolean whole() {
        return size <= MOST;
    }

    /** The entry of an object, or null. */
    Entry of(Object o) {
        return entries.get(o);
    }

    /** Remembers all that can be reached from the entry. */
    void add(Entry root) {
        all.add(root);
        todo.add(root);
        drain();
    }

    /** Remembers what the entry holds now, and all below it that is not remembered yet. */
    void renew(Entry entry) {
        entry.renew();
        todo.add(entry);
        drain();
    }

    private void drain() {
        while (!todo.isEmpty()) {
            Entry from = todo.remove(todo.size() - 1);
            for (Object o : from.refs()) {
                meet(o, from.lax);
            }
        }
    }

    private void meet(Object o, boolean lax) {
        if (o == null || o instanceof String || entries.containsKey(o)) {
            return;
        }
        Treatment treatment = TREATMENTS.get(o.getClass());
        if (treatment == Treatment.SKIPPED) {
            return;
        }
        if (treatment == Treatment.ARRAY) {
            int length = Array.getLength(o);
            if (length == 0) {
                return;
            }
            size += length / DOZEN;
        }
        if (++size > MOST) {
            return;
        }
        Entry entry = treatment == Treatment.ARRAY ? array(o, lax) : new Held(o, Slots.of(o.getClass()), treatment, lax);
        entries.put(o, entry);
        all.add(entry);
        todo.add(entry);
    }

    private static Entry array(Object o, boolean lax) {
        return o instanceof Object[] ? new Elements((Object[]) o, lax) : new Primitives(o, lax);
    }

    /** An object's fields. */
    private static final class Held extends Entry {
        private final Object of;
        private final Slots slots;
        private Object[] refs;
        private long[] prims;

        Held(Object of, Slots slots, Treatment treatment, boolean lax) {
            super(lax, treatment == Treatment.FIXED);
            this.of = of;
            this.slots = slots;
            renew();
        }

        @Override
        void renew() {
            refs = slots.references(of);
            prims = slots.primitives(of);
            if (of instanceof Reference) {
                refs = Arrays.copyOf(refs, refs.length + 1);
                refs[refs.length - 1] = Slots.referent(of);
            }
        }

        @Override
        boolean same() {
            return slots.same(of, refs, prims) && (!(of instanceof Reference) || Slots.referent(of) == refs[refs.length - 1]);
        }

        @Override
        void back() {
            slots.put(of, refs, prims);
        }

        @Override
        boolean collects() {
            return collection(of.getClass());
        }

        @Override
        Object[] refs() {
            return refs;
        }

        @Override
        long print() {
            return Ledger.print(slots.references(of)) * 31 + Arrays.hashCode(slots.primitives(of));
        }

        @Override
        String name() {
            return "an object of " + of.getClass().getName();
        }
    }

    static long print(Object[] refs) {
        long out = refs.length;
        for (Object o : refs) {
            out = out * 31 + System.identityHashCode(o);
        }
        return out;
    }

    /** An array of references. */
    private static final class Elements extends Entry {
        private final Object[] of;
        private Object[] copy;

        Elements(Object[] of, boolean lax) {
            super(lax, false);
            this.of = of;
            renew();
        }

        @Override
        void renew() {
            copy = Arrays.copyOf(of, of.length, Object[].class);
        }

        @Override
        boolean same() {
            for (int i = 0; i < copy.length; i++) {
                if (of[i] != copy[i]) {
                    return false;
                }
            }
            return true;
        }

        @Override
        void back() {
            System.arraycopy(copy, 0, of, 0, copy.length);
        }

        @Override
        boolean collects() {
            Class<?> of = this.of.getClass().getComponentType();
            return of == Object.class || collection(of);
        }

        @Override
        Object[] refs() {
            return copy;
        }

        @Override
        long print() {
            return Ledger.print(of);
        }

        @Override
        String name() {
            return "an array of " + of.getClass().getComponentType().getName();
        }
    }

    /** An array of primitives. */
    private static final class Primitives extends Entry {
        private static final Object[] NONE = {};
        private final Object of;
        private Object copy;

        Primitives(Object of, boolean lax) {
            super(lax, false);
            this.of = of;
            renew();
        }

        @Override
        void renew() {
            int length = Array.getLength(of);
            copy = Array.newInstance(of.getClass().getComponentType(), length);
            System.arraycopy(of, 0, copy, 0, length);
        }

        @Override
        boolean same() {
            return Numbers.equal(of, copy);
        }

        @Override
        void back() {
            System.arraycopy(copy, 0, of, 0, Array.getLength(copy));
        }

        @Override
        Object[] refs() {
            return NONE;
        }

        @Override
        long print() {
            return Numbers.digest(of, Array.getLength(of));
        }

        @Override
        String name() {
            return "an array of " + of.getClass().getComponentType().getName();
        }
    }
}
