package io.odfix.state;

import java.lang.reflect.Field;

/** A field of a class of the JDK, by whichever of its names this JDK has. */
final class JdkField {
    private final long offset;

    /** @throws NoSuchFieldError if this JDK has no such class or field */
    JdkField(String type, String... names) {
        offset = FieldAccess.memory.offset(find(type, names));
    }

    private static Field find(String type, String... names) {
        for (String name : names) {
            try {
                return Class.forName(type, true, null).getDeclaredField(name);
            } catch (ReflectiveOperationException e) {
                continue;
            }
        }
        throw new NoSuchFieldError(type + "." + names[0]);
    }

    /**
     * A static field of a class of the JDK. The class is initialised.
     *
     * @throws NoSuchFieldError if this JDK has no such class or field
     */
    static StaticField constant(String type, String name) {
        return new StaticField(find(type, name));
    }

    Object ref(Object of) {
        return FieldAccess.memory.ref(of, offset);
    }

    int i32(Object of) {
        return (int) FieldAccess.memory.bits(of, offset, int.class);
    }

    long i64(Object of) {
        return FieldAccess.memory.bits(of, offset, long.class);
    }
}
