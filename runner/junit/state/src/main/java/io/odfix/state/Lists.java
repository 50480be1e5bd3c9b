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
        try {
            known.put("java.util.LinkedList", new Chain());
            known.put("java.util.ArrayDeque", new Ring());
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

    private static final class Chain extends Content {
        private final Slot first = new Slot("java.util.LinkedList", "first");
        private final Slot item = new Slot("java.util.LinkedList$Node", "item");
        private final Slot next = new Slot("java.util.LinkedList$Node", "next");

        Chain() throws NoSuchFieldException {
            super(Kind.LIST);
        }

        @Override
        void read(Object of, Into into) {
            for (Object at = first.ref(of); at != null && into.take(item.ref(at), null); at = next.ref(at)) {
                continue;
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
}
