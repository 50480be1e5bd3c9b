package io.odfix.state;

/** The JDK's lists and queues. */
final class Lists {
    private Lists() {}

    /** The content of the class, or null where it is none of these. */
    static CollectionContent of(String name) {
        switch (name) {
            case "java.util.ArrayList":
                return new Room(name, "size", "elementData");
            case "java.util.Vector":
                return new Room(name, "elementCount", "elementData");
            case "java.util.PriorityQueue":
            case "java.util.concurrent.PriorityBlockingQueue":
                return new Room(name, "size", "queue");
            case "java.util.concurrent.CopyOnWriteArrayList":
                return new Room(name, null, "array", "elements");
            case "java.util.Arrays$ArrayList":
                return new Room(name, null, "a");
            case "java.util.ImmutableCollections$ListN":
                return new Room(name, null, "elements");
            case "java.util.LinkedList":
                return new Chain(name, "first", true);
            case "java.util.concurrent.LinkedBlockingDeque":
                return new Chain(name, "first", false);
            case "java.util.concurrent.LinkedBlockingQueue":
            case "java.util.concurrent.ConcurrentLinkedQueue":
                return new Chain(name, "head", false);
            case "java.util.ArrayDeque":
                return new Ring();
            case "java.util.concurrent.ArrayBlockingQueue":
                return new Places();
            default:
                return null;
        }
    }

    /** An array of which the first so many count. */
    private static final class Room extends CollectionContent {
        private final JdkField array;
        private final JdkField size;

        /** @param size null where all elements count */
        Room(String type, String size, String... array) {
            super(Kind.LIST);
            this.array = new JdkField(type, array);
            this.size = size == null ? null : new JdkField(type, size);
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

        Chain(String type, String first, boolean keepsNull) {
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

        Ring() {
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

        Places() {
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
