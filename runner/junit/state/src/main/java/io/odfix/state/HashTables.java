package io.odfix.state;

/** The JDK's maps that are hash tables, and the sets based on them. */
final class HashTables {
    private HashTables() {}

    /** The content of the class, or null if it is none of these. */
    static CollectionContent of(String name) {
        switch (name) {
            case "java.util.HashMap":
                return new Buckets(name, "$Node", "value");
            case "java.util.Hashtable":
                return new Buckets(name, "$Entry", "value");
            case "java.util.concurrent.ConcurrentHashMap":
                return new Buckets(name, "$Node", "val");
            case "java.util.Properties":
                return FieldResolver.beforeModules() ? of("java.util.Hashtable") : new CollectionContent.Within(CollectionContent.Kind.MAP, name, "map");
            case "java.util.HashSet":
                return new CollectionContent.Within(CollectionContent.Kind.SET, name, "map");
            case "java.util.Collections$SetFromMap":
                return new CollectionContent.Within(CollectionContent.Kind.SET, name, "m");
            case "java.util.concurrent.ConcurrentHashMap$KeySetView":
                return new CollectionContent.Within(CollectionContent.Kind.SET, "java.util.concurrent.ConcurrentHashMap$CollectionView", "map");
            case "java.util.IdentityHashMap":
                return new Alternating(name, JdkField.constant(name, "NULL_KEY").reference());
            case "java.util.ImmutableCollections$MapN":
                return new Alternating(name, null);
            case "java.util.EnumMap":
                return new Enums();
            default:
                return null;
        }
    }

    /**
     * Chains of nodes. A ConcurrentHashMap also has trees, which contain a chain, and nodes without
     * a key during resizing. Entries that resizing has already moved are not seen.
     */
    private static final class Buckets extends CollectionContent {
        private final JdkField table;
        private final JdkField key;
        private final JdkField value;
        private final JdkField next;
        private final JdkField first;
        private final boolean nullKeys;

        Buckets(String type, String node, String value) {
            super(Kind.MAP);
            table = new JdkField(type, "table");
            key = new JdkField(type + node, "key");
            this.value = new JdkField(type + node, value);
            next = new JdkField(type + node, "next");
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

        /** @param nullKey the marker of the key null; null if no key is null */
        Alternating(String type, Object nullKey) {
            super(Kind.MAP);
            table = new JdkField(type, "table");
            this.nullKey = nullKey;
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
     * A key for each place of an array. The value is null if none was put. A null that was put has
     * a marker.
     */
    private static final class Enums extends CollectionContent {
        private final JdkField keys = new JdkField("java.util.EnumMap", "keyUniverse");
        private final JdkField values = new JdkField("java.util.EnumMap", "vals");
        private final Object nullValue = JdkField.constant("java.util.EnumMap", "NULL").reference();

        Enums() {
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
