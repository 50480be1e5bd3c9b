package io.odfix.state;

/** The JDK's lists and queues. */
final class Lists {
    private Lists() {}

    /** The content of the class, or null if it is none of these. */
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
                return new Ring(name, "elements", "head", "tail", null);
            case "java.util.concurrent.ArrayBlockingQueue":
                return new Ring(name, "items", "takeIndex", null, "count");
            default:
                return null;
        }
    }

    /** An array of which only the first elements count. */
    private static final class Room extends CollectionContent {
        private final JdkField array;
        private final JdkField size;

        /** @param size null if all elements count */
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
     * Nodes, each of which leads to the next one. Nodes without an element are before the first of
     * a queue, or were removed.
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
                at = after == at ? null : after; // a node that is being removed leads to itself
            }
        }
    }

    /**
     * An array of which some elements count, from a position on and continuing at the array's
     * start.
     */
    private static final class Ring extends CollectionContent {
        private final JdkField elements;
        private final JdkField from;
        private final JdkField end;
        private final JdkField count;

        /** @param end the field of the place after the last; null if there is a count */
        Ring(String type, String elements, String from, String end, String count) {
            super(Kind.LIST);
            this.elements = new JdkField(type, elements);
            this.from = new JdkField(type, from);
            this.end = end == null ? null : new JdkField(type, end);
            this.count = count == null ? null : new JdkField(type, count);
        }

        @Override
        void read(Object of, Into into) {
            Object[] all = (Object[]) elements.ref(of);
            int at = from.i32(of);
            int left = count != null ? Math.min(count.i32(of), all.length) : Math.floorMod(end.i32(of) - at, all.length);
            for (; left > 0; left--, at++) {
                Object element = all[Math.floorMod(at, all.length)];
                if (element != null && !into.take(element, null)) { // null: another thread takes it just now
                    return;
                }
            }
        }
    }
}
