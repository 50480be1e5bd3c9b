package io.odfix.state;

import java.util.HashMap;
import java.util.Map;

/**
 * The content of a collection of the JDK, read from its fields. None of its methods is called,
 * because a subclass can override them with any code, because elements' equals and hashCode are the
 * project's, and because some methods lock. The content is arbitrary if another thread changes the
 * collection at the same time, but reading always ends.
 */
abstract class CollectionContent {
    enum Kind {
        LIST,
        SET,
        MAP
    }

    /** Receives the content of a collection. Returns false to stop. */
    interface Into {
        /** @param value null for a set's or list's element */
        boolean take(Object keyOrElement, Object value);
    }

    /** By class. Null for classes that are not known collections. */
    private static final Map<String, CollectionContent> KNOWN = new HashMap<String, CollectionContent>();

    final Kind kind;

    CollectionContent(Kind kind) {
        this.kind = kind;
    }

    /**
     * A failure means that this JDK stores the content otherwise. Its fields are then walked as for
     * any other class.
     */
    abstract void read(Object of, Into into);

    /**
     * The content declared by the class itself, without superclasses. Null if the class is not a
     * known collection.
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
     * A collection that stores its elements in another one: a set as the keys of a map, or as a
     * list.
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
