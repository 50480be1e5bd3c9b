package io.odfix.state;

import java.lang.ref.Reference;
import java.lang.ref.SoftReference;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;

/**
 * All instance fields of one class: what has to be restored of an object. The fields of references
 * belong to the collector.
 */
final class InstanceFields extends Offsets {
    private static final ClassValue<InstanceFields> ALL = new ClassValue<InstanceFields>() {
        @Override
        protected InstanceFields computeValue(Class<?> c) {
            return new InstanceFields(c);
        }
    };

    private InstanceFields(Class<?> c) {
        super(all(c));
    }

    private static List<Field> all(Class<?> c) {
        List<Field> fields = new ArrayList<Field>();
        for (Class<?> at = c; at != null && at != SoftReference.class && at != Reference.class; at = at.getSuperclass()) {
            for (Field f : at.getDeclaredFields()) {
                if (!Modifier.isStatic(f.getModifiers())) {
                    fields.add(f);
                }
            }
        }
        return fields;
    }

    /** @throws LinkageError if a class that a field is of cannot be loaded */
    static InstanceFields of(Class<?> c) {
        return ALL.get(c);
    }

    Object[] references(Object o) {
        Object[] out = new Object[refs.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = FieldAccess.memory.ref(o, refs[i]);
        }
        return out;
    }

    long[] primitives(Object o) {
        long[] out = new long[prims.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = FieldAccess.memory.bits(o, prims[i], types[i]);
        }
        return out;
    }

    void put(Object o, Object[] references, long[] primitives) {
        for (int i = 0; i < refs.length; i++) {
            FieldAccess.memory.putRef(o, refs[i], references[i]);
        }
        for (int i = 0; i < prims.length; i++) {
            FieldAccess.memory.put(o, prims[i], types[i], primitives[i]);
        }
    }
}
