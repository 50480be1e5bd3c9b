package io.odfix.state;

import java.util.Map;

/** The JDK's maps that are tables, and the sets over them. */
final class HashTables {
    private HashTables() {}

    static void addTo(Map<String, CollectionContent> known) {
        String concurrent = "java.util.concurrent.ConcurrentHashMap";
        for (String[] map : new String[][] {
            {"java.util.HashMap", "$Node", "value"},
            {"java.util.Hashtable", "$Entry", "value"},
            {concurrent, "$Node", "val"},
        }) {
            try {
                known.put(map[0], new Buckets(map[0], map[0] + map[1], map[2]));
            } catch (NoSuchFieldException e) {
                continue; // this JDK has it otherwise, or not at all: its fields are walked
            }
        }
        known.put("java.util.Properties", known.get("java.util.Hashtable")); // until Java 8
        within(known, CollectionContent.Kind.MAP, "java.util.Properties", "java.util.Properties", "map");
        within(known, CollectionContent.Kind.SET, "java.util.HashSet", "java.util.HashSet", "map");
        within(known, CollectionContent.Kind.SET, "java.util.Collections$SetFromMap", "java.util.Collections$SetFromMap", "m");
        within(known, CollectionContent.Kind.SET, concurrent + "$KeySetView", concurrent + "$CollectionView", "map");
        alternating(known, "java.util.IdentityHashMap", "NULL_KEY");
        alternating(known, "java.util.ImmutableCollections$MapN", null);
        try {
            known.put("java.util.EnumMap", new Enums());
        } catch (NoSuchFieldException e) {
            return;
        }
    }

    private static void within(Map<String, CollectionContent> known, CollectionContent.Kind kind, String name, String type, String field) {
        try {
            known.put(name, new CollectionContent.Within(kind, type, field));
        } catch (NoSuchFieldException e) {
            return;
        }
    }

    private static void alternating(Map<String, CollectionContent> known, String type, String nullKey) {
        try {
            known.put(type, new Alternating(type, nullKey));
        } catch (NoSuchFieldException e) {
            return;
        }
    }

    /**
     * Chains of nodes. A ConcurrentHashMap also has trees, which keep a chain, and nodes without a
     * key while it is resized: what was moved already is not seen then.
     */
    private static final class Buckets extends CollectionContent {
        private final JdkField table;
        private final JdkField key;
        private final JdkField value;
        private final JdkField next;
        private final JdkField first;
        private final boolean nullKeys;

        Buckets(String type, String node, String value) throws NoSuchFieldException {
            super(Kind.MAP);
            table = new JdkField(type, "table");
            key = new JdkField(node, "key");
            this.value = new JdkField(node, value);
            next = new JdkField(node, "next");
            nullKeys = !type.contains("concurrent");
            first = nullKeys ? null : new JdkField(type + "$TreeBin", "first");
        }

        @Override
        void read(Object of, Into into) {
            Object[] all = (Object[]) table.ref(of);
            for (int i = 0; all != null && i < all.length; i++) {
                Object at = all[i];
                if (at != null && first != null && at.getClass().getName().endsWith("$TreeBin")) {
                    at = first.ref(at);
                }
                for (; at != null; at = next.ref(at)) {
                    if ((nullKeys || key.ref(at) != null) && !into.take(key.ref(at), value.ref(at))) {
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
            this.nullKey = nullKey == null ? null : JdkField.constant(type, nullKey).reference();
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
        private final Object nullValue = JdkField.constant("java.util.EnumMap", "NULL").reference();

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
