package io.odfix.state;

import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.LinkedHashMap;
import java.util.Map;

/** The static fields of one class. */
final class Statics {
    private static final ClassValue<Statics> ALL = new ClassValue<Statics>() {
        @Override
        protected Statics computeValue(Class<?> c) {
            return new Statics(c);
        }
    };

    final Map<String, Fld> fields = new LinkedHashMap<String, Fld>();
    /**
     * The objects below its fields when it was initialised, until the fields become roots. Null if
     * they were not captured.
     */
    Snapshot first;

    private Statics(Class<?> c) {
        for (Field f : c.getDeclaredFields()) {
            if (Modifier.isStatic(f.getModifiers()) && !f.isSynthetic() && !Exclusions.artificial(f.getName())) {
                fields.put(f.getName(), new Fld(c, f));
            }
        }
    }

    /** @throws LinkageError if a class that a field is of cannot be loaded */
    static Statics of(Class<?> c) {
        return ALL.get(c);
    }

    /** One static field. Its class can be unloaded. */
    static final class Fld extends ObservedState {
        private final WeakReference<Class<?>> owner;
        private final WeakReference<Object> base;
        private final long offset;
        private final Class<?> type;
        private final boolean isFinal;

        /** The class that declares it, or null if that was unloaded. */
        Class<?> owner() {
            return owner.get();
        }

        Fld(Class<?> c, Field f) {
            super(c.getName() + "." + f.getName(), 0);
            owner = new WeakReference<Class<?>>(c);
            base = new WeakReference<Object>(FieldAccess.memory.staticBase(f));
            offset = FieldAccess.memory.staticOffset(f);
            type = f.getType().isPrimitive() ? f.getType() : null;
            isFinal = Modifier.isFinal(f.getModifiers());
        }

        @Override
        boolean gone() {
            Class<?> c = owner.get();
            return c == null || FieldAccess.memory.uninitialised(c);
        }

        @Override
        long now(Graph graph) {
            Object from = base.get();
            if (type != null) {
                graph.of(null);
                return from == null ? 0 : FieldAccess.memory.bits(from, offset, type);
            }
            return graph.of(from == null ? null : FieldAccess.memory.ref(from, offset));
        }

        @Override
        boolean constant(Graph graph) {
            if (!isFinal) {
                return false;
            }
            Object from = base.get();
            Object held = type != null || from == null ? null : FieldAccess.memory.ref(from, offset);
            return held == null || Layout.of(held.getClass()).immutable(held.getClass())
                    || held instanceof Object[] && ((Object[]) held).length == 0;
        }

        Class<?> primitive() {
            return type;
        }

        /** The object, or the bits of a primitive as a Long. */
        Object held() {
            Object from = base.get();
            if (type != null) {
                return from == null ? 0L : FieldAccess.memory.bits(from, offset, type);
            }
            return from == null ? null : FieldAccess.memory.ref(from, offset);
        }

        /** The value before its class is initialised. */
        long unset(Graph graph) {
            return type != null ? 0 : graph.of(null);
        }
    }
}
