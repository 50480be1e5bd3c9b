package io.odfix.state;

import java.lang.reflect.Field;

/** A field of a class of the JDK, by whichever of its names this JDK has. */
final class JdkField {
    private final long offset;

    /** @throws NoSuchFieldException where this JDK has no such class or field */
    JdkField(String type, String... names) throws NoSuchFieldException {
        Field found = null;
        for (String name : names) {
            found = found == null ? find(type, name) : found;
        }
        if (found == null) {
            throw new NoSuchFieldException(type + "." + names[0]);
        }
        offset = FieldAccess.memory.offset(found);
    }

    private static Field find(String type, String name) {
        try {
            return Class.forName(type, false, null).getDeclaredField(name);
        } catch (ReflectiveOperationException e) {
            return null;
        }
    }

    /**
     * A static field of the JDK, whose class is initialised.
     *
     * @throws NoSuchFieldException where this JDK has no such class or field
     */
    static StaticField constant(String type, String name) throws NoSuchFieldException {
        Field found = find(type, name);
        if (found == null) {
            throw new NoSuchFieldException(type + "." + name);
        }
        try {
            Class.forName(type, true, null);
        } catch (ClassNotFoundException e) {
            throw new NoSuchFieldException(type);
        }
        return new StaticField(found);
    }

    Object ref(Object of) {
        return FieldAccess.memory.ref(of, offset);
    }

    int i32(Object of) {
        return FieldAccess.memory.i32(of, offset);
    }

    long i64(Object of) {
        return FieldAccess.memory.i64(of, offset);
    }
}
