package io.odfix.state;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;

/**
 * {@link FieldAccess} by the JDK's Unsafe. It runs as a copy in java.lang, where Unsafe may be
 * called.
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
    public void putRef(Object of, long offset, Object value) {
        unsafe.putReference(of, offset, value);
    }

    @Override
    public long bits(Object of, long offset, Class<?> type) {
        if (type == int.class || type == float.class) {
            return unsafe.getInt(of, offset);
        } else if (type == long.class || type == double.class) {
            return unsafe.getLong(of, offset);
        } else if (type == boolean.class || type == byte.class) {
            return unsafe.getByte(of, offset);
        }
        short two = unsafe.getShort(of, offset);
        return type == char.class ? (char) two : two;
    }

    @Override
    public void put(Object of, long offset, Class<?> type, long bits) {
        if (type == int.class || type == float.class) {
            unsafe.putInt(of, offset, (int) bits);
        } else if (type == long.class || type == double.class) {
            unsafe.putLong(of, offset, bits);
        } else if (type == boolean.class || type == byte.class) {
            unsafe.putByte(of, offset, (byte) bits);
        } else {
            unsafe.putShort(of, offset, (short) bits);
        }
    }
}
