package io.odfix.state;

import java.util.Map;

/** The JDK's maps that are tables, and the sets over them. */
final class HashTables {
    private HashTables() {}

    static void addTo(Map<String, CollectionContent> known) {
        for (int i = 0; i < 10; i++) {
            try {
                add(known, i);
            } catch (NoSuchFieldException e) {
                continue; // this JDK has it otherwise, or not at all: its fields are walked
            }
        }
    }

    private static void add(Map<String, CollectionContent> known, int which) throws NoSuchFieldException {
        switch (which) {
            case 0:
                known.put("java.util.HashMap", new Buckets("java.util.HashMap", "java.util.HashMap$Node"));
                break;
            case 1:
                CollectionContent table = new Buckets("java.util.Hashtable", "java.util.Hashtable$Entry");
                known.put("java.util.Hashtable", table);
                known.put("java.util.Properties", table);
                break;
            case 2: // since Java 9
                known.put("java.util.Properties", new CollectionContent.Within(CollectionContent.Kind.MAP, "java.util.Properties", "map"));
                break;
            case 3:
                known.put("java.util.concurrent.ConcurrentHashMap", new Concurrent());
                break;
            case 4:
                known.put("java.util.IdentityHashMap", new Alternating("java.util.IdentityHashMap", "NULL_KEY"));
                break;
            case 5:
                known.put("java.util.ImmutableCollections$MapN", new Alternating("java.util.ImmutableCollections$MapN", null));
                break;
            case 6:
                known.put("java.util.HashSet", new CollectionContent.Within(CollectionContent.Kind.SET, "java.util.HashSet", "map"));
                break;
            case 7:
                known.put("java.util.Collections$SetFromMap", new CollectionContent.Within(CollectionContent.Kind.SET, "java.util.Collections$SetFromMap", "m"));
                break;
            case 8:
                String view = "java.util.concurrent.ConcurrentHashMap$KeySetView";
                known.put(view, new CollectionContent.Within(CollectionContent.Kind.SET, "java.util.concurrent.ConcurrentHashMap$CollectionView", "map"));
                break;
            default:
                known.put("java.util.EnumMap", new Enums());
        }
    }

    /** Chains of nodes. */
    private static final class Buckets extends CollectionContent {
        private final JdkField table;
        private final JdkField key;
        private final JdkField value;
        private final JdkField next;

        Buckets(String type, String node) throws NoSuchFieldException {
            super(Kind.MAP);
            table = new JdkField(type, "table");
            key = new JdkField(node, "key");
            value = new JdkField(node, "value");
            next = new JdkField(node, "next");
        }

        @Override
        void read(Object of, Into into) {
            Object[] all = (Object[]) table.ref(of);
            for (int i = 0; all != null && i < all.length; i++) {
                for (Object at = all[i]; at != null; at = next.ref(at)) {
                    if (!into.take(key.ref(at), value.ref(at))) {
                        return;
                    }
                }
            }
        }
    }

    private static final class Concurrent extends CollectionContent {
        private static final String TYPE = "java.util.concurrent.ConcurrentHashMap";

        private final JdkField table = new JdkField(TYPE, "table");
        private final JdkField key = new JdkField(TYPE + "$Node", "key");
        private final JdkField value = new JdkField(TYPE + "$Node", "val");
        private final JdkField next = new JdkField(TYPE + "$Node", "next");
        private final JdkField first = new JdkField(TYPE + "$TreeBin", "first");

        Concurrent() throws NoSuchFieldException {
            super(Kind.MAP);
        }

        /** While it is being resized, what was moved already is not seen. */
        @Override
        void read(Object of, Into into) {
            Object[] all = (Object[]) table.ref(of);
            for (int i = 0; all != null && i < all.length; i++) {
                Object at = all[i];
                if (at != null && at.getClass().getName().endsWith("$TreeBin")) {
                    at = first.ref(at);
                }
                for (; at != null; at = next.ref(at)) {
                    if (key.ref(at) != null && !into.take(key.ref(at), value.ref(at))) {
                        return;
                    }
                }
            }
        }
    }

    /** An array of a key, its value, the next key. */
    private static final class Alternating extends CollectionContent {
        private final JdkField table;
        private final Object nullKey;

        Alternating(String type, String nullKey) throws NoSuchFieldException {
            super(Kind.MAP);
            table = new JdkField(type, "table");
            this.nullKey = nullKey == null ? null : JdkField.constant(type, nullKey);
        }

        @Override
        void read(Object of, Into into) {
            Object[] all = (Object[]) table.ref(of);
            for (int i = 0; all != null && i + 1 < all.length; i += 2) {
                if (all[i] != null && !into.take(all[i] == nullKey ? null : all[i], all[i + 1])) {
                    return;
                }
            }
        }
    }

    /**
     * A key for each place of an array; a value that was never put is null, one that is null is
     * not.
     */
    private static final class Enums extends CollectionContent {
        private final JdkField keys = new JdkField("java.util.EnumMap", "keyUniverse");
        private final JdkField values = new JdkField("java.util.EnumMap", "vals");
        private final Object nullValue = JdkField.constant("java.util.EnumMap", "NULL");

        Enums() throws NoSuchFieldException {
            super(Kind.MAP);
        }

        @Override
        void read(Object of, Into into) {
            Object[] k = (Object[]) keys.ref(of);
            Object[] v = (Object[]) values.ref(of);
            for (int i = 0; i < v.length && i < k.length; i++) {
                if (v[i] != null && !into.take(k[i], v[i] == nullValue ? null : v[i])) {
                    return;
                }
            }
        }
    }
}
