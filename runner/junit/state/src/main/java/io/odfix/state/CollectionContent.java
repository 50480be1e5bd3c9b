package io.odfix.state;

import java.util.HashMap;
import java.util.Map;

/**
 * What a collection of the JDK holds, read from its fields: no method of it is called, since a
 * subclass could do anything there, elements' equals and hashCode are the project's, and some lock.
 * A collection that is being changed by another thread meanwhile can seem to hold anything, but
 * reading it ends.
 */
abstract class CollectionContent {
    enum Kind {
        LIST,
        SET,
        MAP
    }

    /** Takes what a collection holds. Answers false where that is enough. */
    interface Into {
        /** @param value null for a set's or list's element */
        boolean take(Object keyOrElement, Object value);
    }

    /** By class; null for classes that are no known collections. */
    private static final Map<String, CollectionContent> KNOWN = new HashMap<String, CollectionContent>();

    final Kind kind;

    CollectionContent(Kind kind) {
        this.kind = kind;
    }

    /**
     * A failure is a JDK that keeps it otherwise: its fields are walked then, as any other class's.
     */
    abstract void read(Object of, Into into);

    /**
     * The content of the class itself, not of those that it extends; null where it is no known
     * collection.
     */
    static synchronized CollectionContent of(String name) {
        if (!name.startsWith("java.util.")) {
            return null;
        }
        if (!KNOWN.containsKey(name)) {
            KNOWN.put(name, find(name));
        }
        return KNOWN.get(name);
    }

    private static CollectionContent find(String name) {
        try {
            CollectionContent list = Lists.of(name);
            CollectionContent table = list != null ? list : HashTables.of(name);
            return table != null ? table : Ordered.of(name);
        } catch (NoSuchFieldError e) {
            return null; // this JDK keeps it otherwise: its fields are walked
        }
    }

    /** The content of an object of any class. */
    static CollectionContent in(Object o) {
        for (Class<?> c = o.getClass(); c != null; c = c.getSuperclass()) {
            CollectionContent found = c.getClassLoader() == null ? of(c.getName()) : null;
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /**
     * One that keeps what it holds in another collection: a set as the keys of a map, or as a list.
     */
    static final class Within extends CollectionContent {
        private final JdkField inner;

        Within(Kind kind, String type, String field) {
            super(kind);
            inner = new JdkField(type, field);
        }

        @Override
        void read(Object of, final Into into) {
            Object held = inner.ref(of);
            CollectionContent content = held == null ? null : in(held);
            if (content == null) {
                into.take(held, null);
                return;
            }
            content.read(held, new Into() {
                @Override
                public boolean take(Object key, Object value) {
                    return into.take(key, kind == Kind.MAP ? value : null);
                }
            });
        }
    }
}
