package io.odfix.state;

import java.util.Map;

/** The JDK's lists and queues. */
final class Lists {
    private Lists() {}

    static void addTo(Map<String, Content> known) {
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
    private static final class Room extends Content {
        private final Slot array;
        private final Slot size;

        Room(String type, String array, String size) throws NoSuchFieldException {
            super(Kind.LIST);
            this.array = new Slot(type, array);
            this.size = size.isEmpty() ? null : new Slot(type, size);
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

    /** Nodes that lead to the next one each. Those of queues without an element are in front of the first, or taken out. */
    private static final class Chain extends Content {
        private final Slot first;
        private final Slot item;
        private final Slot next;
        private final boolean keepsNull;

        Chain(String type, String first, boolean keepsNull) throws NoSuchFieldException {
            super(Kind.LIST);
            this.first = new Slot(type, first);
            this.item = new Slot(type + "$Node", "item");
            this.next = new Slot(type + "$Node", "next");
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

    private static final class Ring extends Content {
        private final Slot elements = new Slot("java.util.ArrayDeque", "elements");
        private final Slot head = new Slot("java.util.ArrayDeque", "head");
        private final Slot tail = new Slot("java.util.ArrayDeque", "tail");

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
    private static final class Places extends Content {
        private static final String TYPE = "java.util.concurrent.ArrayBlockingQueue";

        private final Slot items = new Slot(TYPE, "items");
        private final Slot take = new Slot(TYPE, "takeIndex");
        private final Slot count = new Slot(TYPE, "count");

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
