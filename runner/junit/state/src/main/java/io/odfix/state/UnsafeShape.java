package io.odfix.state;

import java.lang.reflect.Field;

/**
 * The part of the JDK's Unsafe that {@link Memory} calls. Only the compiler uses it. The real class
 * has another name from Java 9 on, and both names give warnings in Java 8.
 */
public abstract class UnsafeShape {
    public static UnsafeShape getUnsafe() {
        throw new UnsupportedOperationException("replaced when Memory is defined");
    }

    public abstract long objectFieldOffset(Field field);

    public abstract Object staticFieldBase(Field field);

    public abstract long staticFieldOffset(Field field);

    public abstract boolean shouldBeInitialized(Class<?> c);

    public abstract Object getReference(Object of, long offset);

    public abstract byte getByte(Object of, long offset);

    public abstract short getShort(Object of, long offset);

    public abstract int getInt(Object of, long offset);

    public abstract long getLong(Object of, long offset);

    public abstract void putReference(Object of, long offset, Object value);

    public abstract void putByte(Object of, long offset, byte value);

    public abstract void putShort(Object of, long offset, short value);

    public abstract void putInt(Object of, long offset, int value);

    public abstract void putLong(Object of, long offset, long value);
}
