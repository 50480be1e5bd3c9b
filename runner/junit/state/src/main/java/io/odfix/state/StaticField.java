package io.odfix.state;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;

/** One static field, to be read and written whatever its access. */
final class StaticField {
    final Class<?> type;
    private final Object base;
    private final long offset;
    private final boolean isFinal;

    /** The class of the field has been initialised. */
    StaticField(Field field) {
        type = field.getType();
        base = FieldAccess.memory.staticBase(field);
        offset = FieldAccess.memory.staticOffset(field);
        // Compiled code treats final fields as constants, except System.in, out and err, which
        // native code sets.
        isFinal = Modifier.isFinal(field.getModifiers()) && field.getDeclaringClass() != System.class;
    }

    Object reference() {
        return type.isPrimitive() ? null : FieldAccess.memory.ref(base, offset);
    }

    long primitive() {
        return type.isPrimitive() ? FieldAccess.memory.bits(base, offset, type) : 0;
    }

    /** A final field stays unchanged, because compiled code need not read it again. */
    void put(Object reference, long primitive) {
        if (isFinal) {
            return;
        }
        if (type.isPrimitive()) {
            FieldAccess.memory.put(base, offset, type, primitive);
        } else {
            FieldAccess.memory.putRef(base, offset, reference);
        }
    }
}
