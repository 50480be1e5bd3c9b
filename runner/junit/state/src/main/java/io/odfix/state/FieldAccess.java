package io.odfix.state;

import java.lang.reflect.Field;

/** Reads and writes fields directly. Access rules and modules do not matter. */
public abstract class FieldAccess {
    static FieldAccess memory;

    static void install(Class<?> implementation) throws ReflectiveOperationException {
        memory = (FieldAccess) implementation.getConstructor().newInstance();
    }

    public abstract long offset(Field field);

    public abstract Object staticBase(Field field);

    public abstract long staticOffset(Field field);

    /**
     * True if reading a static field of the class would run the class's initialiser too early.
     */
    public abstract boolean uninitialised(Class<?> c);

    public abstract Object ref(Object of, long offset);

    public abstract void putRef(Object of, long offset, Object value);

    /** The bits of a primitive: those of an int for a float, and those of a long for a double. */
    public abstract long bits(Object of, long offset, Class<?> type);

    /** Writes a primitive whose bits {@link #bits} returned. */
    public abstract void put(Object of, long offset, Class<?> type, long bits);
}
