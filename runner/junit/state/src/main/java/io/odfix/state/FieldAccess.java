package io.odfix.state;

import java.lang.reflect.Field;

/** Reads and writes fields without asking their class, whatever its access rules and modules. */
public abstract class FieldAccess {
    static FieldAccess memory;

    static void install(Class<?> implementation) throws ReflectiveOperationException {
        memory = (FieldAccess) implementation.getConstructor().newInstance();
    }

    public abstract long offset(Field field);

    public abstract Object staticBase(Field field);

    public abstract long staticOffset(Field field);

    /**
     * True where reading a static field of the class would run its initialiser's work too early.
     */
    public abstract boolean uninitialised(Class<?> c);

    public abstract Object ref(Object of, long offset);

    public abstract boolean bool(Object of, long offset);

    public abstract byte i8(Object of, long offset);

    public abstract char u16(Object of, long offset);

    public abstract short i16(Object of, long offset);

    public abstract int i32(Object of, long offset);

    public abstract long i64(Object of, long offset);

    public abstract void putRef(Object of, long offset, Object value);

    public abstract void putBool(Object of, long offset, boolean value);

    public abstract void put8(Object of, long offset, byte value);

    public abstract void put16(Object of, long offset, short value);

    public abstract void put32(Object of, long offset, int value);

    public abstract void put64(Object of, long offset, long value);

    /** A primitive's bits. A float has those of an int, a double those of a long. */
    final long bits(Object of, long offset, Class<?> type) {
        if (type == int.class || type == float.class) {
            return i32(of, offset);
        } else if (type == long.class || type == double.class) {
            return i64(of, offset);
        } else if (type == boolean.class) {
            return bool(of, offset) ? 1 : 0;
        } else if (type == byte.class) {
            return i8(of, offset);
        } else if (type == char.class) {
            return u16(of, offset);
        }
        return i16(of, offset);
    }

    /** Puts a primitive back that {@link #bits} gave. */
    final void put(Object of, long offset, Class<?> type, long bits) {
        if (type == int.class || type == float.class) {
            put32(of, offset, (int) bits);
        } else if (type == long.class || type == double.class) {
            put64(of, offset, bits);
        } else if (type == boolean.class) {
            putBool(of, offset, bits != 0);
        } else if (type == byte.class) {
            put8(of, offset, (byte) bits);
        } else {
            put16(of, offset, (short) bits);
        }
    }
}
