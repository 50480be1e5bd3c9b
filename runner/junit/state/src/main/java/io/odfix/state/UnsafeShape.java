package io.odfix.state;

import java.lang.reflect.Field;

/**
 * The part of the JDK's Unsafe that {@link Memory} calls. It stands in for it while compiling: from
 * Java 9 on the class is another one than before, and neither can be named in Java 8 without
 * warnings.
 */
public final class UnsafeShape {
    private UnsafeShape() {}

    private static UnsupportedOperationException never() {
        return new UnsupportedOperationException("replaced when Memory is defined");
    }

    public static UnsafeShape getUnsafe() {
        throw never();
    }

    public long objectFieldOffset(Field field) {
        throw never();
    }

    public Object staticFieldBase(Field field) {
        throw never();
    }

    public long staticFieldOffset(Field field) {
        throw never();
    }

    public boolean shouldBeInitialized(Class<?> c) {
        throw never();
    }

    public Object getReference(Object of, long offset) {
        throw never();
    }

    public boolean getBoolean(Object of, long offset) {
        throw never();
    }

    public byte getByte(Object of, long offset) {
        throw never();
    }

    public char getChar(Object of, long offset) {
        throw never();
    }

    public short getShort(Object of, long offset) {
        throw never();
    }

    public int getInt(Object of, long offset) {
        throw never();
    }

    public long getLong(Object of, long offset) {
        throw never();
    }

    public void putReference(Object of, long offset, Object value) {
        throw never();
    }

    public void putBoolean(Object of, long offset, boolean value) {
        throw never();
    }

    public void putByte(Object of, long offset, byte value) {
        throw never();
    }

    public void putShort(Object of, long offset, short value) {
        throw never();
    }

    public void putInt(Object of, long offset, int value) {
        throw never();
    }

    public void putLong(Object of, long offset, long value) {
        throw never();
    }
}
