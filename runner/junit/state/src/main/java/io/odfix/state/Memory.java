package io.odfix.state;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;

/**
 * {@link FieldAccess} by the JDK's Unsafe. Runs as a copy in java.lang, where that may be called.
 */
public final class Memory extends FieldAccess {
    private final UnsafeShape unsafe = UnsafeShape.getUnsafe();

    public Memory() {}

    /** The names of the copy, for a JVM with modules or without. */
    static Map<String, String> rename(boolean modules) throws ReflectiveOperationException {
        Map<String, String> names = new HashMap<String, String>();
        names.put(Setup.internal(Memory.class), "java/lang/OdfixMemory");
        names.put(Setup.internal(UnsafeShape.class), modules ? "jdk/internal/misc/Unsafe" : "sun/misc/Unsafe");
        try {
            Class<?> real = Class.forName(modules ? "jdk.internal.misc.Unsafe" : "sun.misc.Unsafe");
            real.getMethod("getReference", Object.class, long.class);
        } catch (NoSuchMethodException e) {
            names.put("getReference", "getObject"); // their names before Java 12
            names.put("putReference", "putObject");
        }
        return names;
    }

    @Override
    public long offset(Field field) {
        return unsafe.objectFieldOffset(field);
    }

    @Override
    public Object staticBase(Field field) {
        return unsafe.staticFieldBase(field);
    }

    @Override
    public long staticOffset(Field field) {
        return unsafe.staticFieldOffset(field);
    }

    @Override
    public boolean uninitialised(Class<?> c) {
        return unsafe.shouldBeInitialized(c);
    }

    @Override
    public Object ref(Object of, long offset) {
        return unsafe.getReference(of, offset);
    }

    @Override
    public boolean bool(Object of, long offset) {
        return unsafe.getBoolean(of, offset);
    }

    @Override
    public byte i8(Object of, long offset) {
        return unsafe.getByte(of, offset);
    }

    @Override
    public char u16(Object of, long offset) {
        return unsafe.getChar(of, offset);
    }

    @Override
    public short i16(Object of, long offset) {
        return unsafe.getShort(of, offset);
    }

    @Override
    public int i32(Object of, long offset) {
        return unsafe.getInt(of, offset);
    }

    @Override
    public long i64(Object of, long offset) {
        return unsafe.getLong(of, offset);
    }

    @Override
    public void putRef(Object of, long offset, Object value) {
        unsafe.putReference(of, offset, value);
    }

    @Override
    public void putBool(Object of, long offset, boolean value) {
        unsafe.putBoolean(of, offset, value);
    }

    @Override
    public void put8(Object of, long offset, byte value) {
        unsafe.putByte(of, offset, value);
    }

    @Override
    public void put16(Object of, long offset, short value) {
        unsafe.putShort(of, offset, value);
    }

    @Override
    public void put32(Object of, long offset, int value) {
        unsafe.putInt(of, offset, value);
    }

    @Override
    public void put64(Object of, long offset, long value) {
        unsafe.putLong(of, offset, value);
    }
}
