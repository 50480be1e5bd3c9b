package io.odfix.state;

import java.util.ArrayDeque;
import java.util.Deque;

/** The JDK's sorted maps and sets, and sets of enum constants. */
final class Ordered {
    private Ordered() {}

    /** The content of the class, or null if it is none of these. */
    static CollectionContent of(String name) {
        switch (name) {
            case "java.util.TreeMap":
                return new Tree();
            case "java.util.concurrent.ConcurrentSkipListMap":
                return new Skip();
            case "java.util.TreeSet":
            case "java.util.concurrent.ConcurrentSkipListSet":
                return new CollectionContent.Within(CollectionContent.Kind.SET, name, "m");
            case "java.util.concurrent.CopyOnWriteArraySet":
                return new CollectionContent.Within(CollectionContent.Kind.SET, name, "al");
            case "java.util.RegularEnumSet":
                return new Bits();
            default:
                return null;
        }
    }

    private static final class Tree extends CollectionContent {
        private static final String ENTRY = "java.util.TreeMap$Entry";
        /**
         * A tree of 2^31 entries is not deeper than this. A tree that is being changed may seem to
         * have cycles.
         */
        private static final int DEEPEST = 64;

        private final JdkField root = new JdkField("java.util.TreeMap", "root");
        private final JdkField left = new JdkField(ENTRY, "left");
        private final JdkField right = new JdkField(ENTRY, "right");
        private final JdkField key = new JdkField(ENTRY, "key");
        private final JdkField value = new JdkField(ENTRY, "value");

        Tree() {
            super(Kind.MAP);
        }

        @Override
        void read(Object of, Into into) {
            Deque<Object> open = new ArrayDeque<Object>();
            Object at = root.ref(of);
            while (at != null || !open.isEmpty()) {
                for (; at != null && open.size() < DEEPEST; at = left.ref(at)) {
                    open.push(at);
                }
                at = open.pop();
                if (!into.take(key.ref(at), value.ref(at))) {
                    return;
                }
                at = right.ref(at);
            }
        }
    }

    private static final class Skip extends CollectionContent {
        private static final String TYPE = "java.util.concurrent.ConcurrentSkipListMap";

        private final JdkField head = new JdkField(TYPE, "head");
        private final JdkField node = new JdkField(TYPE + "$Index", "node");
        private final JdkField key = new JdkField(TYPE + "$Node", "key");
        private final JdkField value = new JdkField(TYPE + "$Node", "val", "value");
        private final JdkField next = new JdkField(TYPE + "$Node", "next");

        Skip() {
            super(Kind.MAP);
        }

        @Override
        void read(Object of, Into into) {
            Object top = head.ref(of);
            for (Object at = top == null ? null : node.ref(top); at != null; at = next.ref(at)) {
                Object v = value.ref(at);
                boolean entry = key.ref(at) != null && v != null && v != at;
                if (entry && !into.take(key.ref(at), v)) {
                    return;
                }
            }
        }
    }

    private static final class Bits extends CollectionContent {
        private final JdkField universe = new JdkField("java.util.EnumSet", "universe");
        private final JdkField elements = new JdkField("java.util.RegularEnumSet", "elements");

        Bits() {
            super(Kind.SET);
        }

        @Override
        void read(Object of, Into into) {
            Object[] all = (Object[]) universe.ref(of);
            long bits = elements.i64(of);
            for (int i = 0; i < all.length && i < 64; i++) {
                if ((bits >> i & 1) != 0 && !into.take(all[i], null)) {
                    return;
                }
            }
        }
    }
}
