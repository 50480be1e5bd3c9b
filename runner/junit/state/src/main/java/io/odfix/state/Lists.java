package io.odfix.state;

import java.util.Map;

/** The JDK's lists and queues. */
final class Lists {
    private Lists() {}

    static void addTo(Map<String, CollectionContent> known) {
        for (String[] at : new String[][] {
            {"java.util.ArrayList", "elementData", "size"},
            {"java.util.Vector", "elementData", "elementCount"},
            {"java.util.PriorityQueue", "queue", "size"},
            {"java.util.concurrent.PriorityBlockingQueue", "queue", "size"},
            {"java.util.concurrent.CopyOnWriteArrayList", "array", ""},
            {"java.util.concurrent.CopyOnWriteArrayList", "elements", ""},
            {"java.util.Arrays$ArrayList", "a", ""},
            {"java.util.ImmutableCollections$ListN", "elements", ""},
        }) {
            try {
                known.put(at[0], new Room(at[0], at[1], at[2]));
            } catch (NoSuchFieldException e) {
                continue; // another JDK's
            }
        }
        for (String[] at : new String[][] {
            {"java.util.LinkedList", "first", "keeps null"},
            {"java.util.concurrent.LinkedBlockingQueue", "head", ""},
            {"java.util.concurrent.LinkedBlockingDeque", "first", ""},
            {"java.util.concurrent.ConcurrentLinkedQueue", "head", ""},
        }) {
            try {
                known.put(at[0], new Chain(at[0], at[1], !at[2].isEmpty()));
            } catch (NoSuchFieldException e) {
                continue;
            }
        }
        try {
            known.put("java.util.ArrayDeque", new Ring());
            known.put("java.util.concurrent.ArrayBlockingQueue", new Places());
        } catch (NoSuchFieldException e) {
            return; // their fields are walked then
        }
    }

    /** An array of which the first so many count. */
    private static final class Room extends CollectionContent {
        private final JdkField array;
        private final JdkField size;

        Room(String type, String array, String size) throws NoSuchFieldException {
            super(Kind.LIST);
            this.array = new JdkField(type, array);
            this.size = size.isEmpty() ? null : new JdkField(type, size);
        }

        @Override
        void read(Object of, Into into) {
            Object held = array.ref(of);
            if (!(held instanceof Object[])) {
                return;
            }
            Object[] all = (Object[]) held;
            int end = size == null ? all.length : Math.min(all.length, size.i32(of));
            for (int i = 0; i < end && into.take(all[i], null); i++) {
                continue;
            }
        }
    }

    /**
     * Nodes that lead to the next one each. Those of queues without an element are in front of the
     * first, or taken out.
     */
    private static final class Chain extends CollectionContent {
        private final JdkField first;
        private final JdkField item;
        private final JdkField next;
        private final boolean keepsNull;

        Chain(String type, String first, boolean keepsNull) throws NoSuchFieldException {
            super(Kind.LIST);
            this.first = new JdkField(type, first);
            this.item = new JdkField(type + "$Node", "item");
            this.next = new JdkField(type + "$Node", "next");
            this.keepsNull = keepsNull;
        }

        @Override
        void read(Object of, Into into) {
            for (Object at = first.ref(of); at != null; ) {
                Object held = item.ref(at);
                if ((held != null || keepsNull) && !into.take(held, null)) {
                    return;
                }
                Object after = next.ref(at);
                at = after == at ? null : after; // one that is being taken out leads to itself
            }
        }
    }

    private static final class Ring extends CollectionContent {
        private final JdkField elements = new JdkField("java.util.ArrayDeque", "elements");
        private final JdkField head = new JdkField("java.util.ArrayDeque", "head");
        private final JdkField tail = new JdkField("java.util.ArrayDeque", "tail");

        Ring() throws NoSuchFieldException {
            super(Kind.LIST);
        }

        @Override
        void read(Object of, Into into) {
            Object[] all = (Object[]) elements.ref(of);
            int at = head.i32(of);
            for (int i = 0; i < all.length && at >= 0 && at < all.length; i++) {
                if (at == tail.i32(of) && all[at] == null || all[at] != null && !into.take(all[at], null)) {
                    return;
                }
                at = at + 1 == all.length ? 0 : at + 1;
            }
        }
    }

    /** An array of which so many count from a place on, round its end. */
    private static final class Places extends CollectionContent {
        private static final String TYPE = "java.util.concurrent.ArrayBlockingQueue";

        private final JdkField items = new JdkField(TYPE, "items");
        private final JdkField take = new JdkField(TYPE, "takeIndex");
        private final JdkField count = new JdkField(TYPE, "count");

        Places() throws NoSuchFieldException {
            super(Kind.LIST);
        }

        @Override
        void read(Object of, Into into) {
            Object[] all = (Object[]) items.ref(of);
            int at = take.i32(of);
            for (int left = Math.min(count.i32(of), all.length); left > 0 && into.take(all[(at + all.length) % all.length], null); left--) {
                at++;
            }
        }
    }
}
