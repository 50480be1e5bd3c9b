package io.odfix.state;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;

/**
 * {@link FieldAccess} by the same methods that {@link Memory} calls, found by reflection: the tests
 * are not in java.lang.
 */
final class ReflectedMemory extends FieldAccess {
    private final Object unsafe;
    private final Map<String, Method> methods = new HashMap<String, Method>();

    private ReflectedMemory() throws ReflectiveOperationException {
        Class<?> type;
        try {
            type = Class.forName("jdk.internal.misc.Unsafe");
        } catch (ClassNotFoundException e) {
            type = Class.forName("sun.misc.Unsafe");
        }
        Field the = type.getDeclaredField("theUnsafe");
        the.setAccessible(true);
        unsafe = the.get(null);
        for (Method m : type.getDeclaredMethods()) {
            Class<?>[] in = m.getParameterTypes();
            boolean field = in.length == 1 && in[0] == Field.class || in.length == 1 && in[0] == Class.class;
            if (field || in.length == 2 && in[0] == Object.class && in[1] == long.class) {
                m.setAccessible(true);
                methods.put(m.getName(), m);
            }
        }
    }

    static synchronized void install() {
        try {
            if (FieldAccess.memory == null) {
                FieldAccess.memory = new ReflectedMemory();
            }
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private Object call(String name, Object... arguments) {
        try {
            return methods.get(name).invoke(unsafe, arguments);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    @Override
    public long offset(Field field) {
        return (Long) call("objectFieldOffset", field);
    }

    @Override
    public Object staticBase(Field field) {
        return call("staticFieldBase", field);
    }

    @Override
    public long staticOffset(Field field) {
        return (Long) call("staticFieldOffset", field);
    }

    @Override
    public boolean uninitialised(Class<?> c) {
        return (Boolean) call("shouldBeInitialized", c);
    }

    @Override
    public Object ref(Object of, long offset) {
        return call(methods.containsKey("getReference") ? "getReference" : "getObject", of, offset);
    }

    @Override
    public boolean bool(Object of, long offset) {
        return (Boolean) call("getBoolean", of, offset);
    }

    @Override
    public byte i8(Object of, long offset) {
        return (Byte) call("getByte", of, offset);
    }

    @Override
    public char u16(Object of, long offset) {
        return (Character) call("getChar", of, offset);
    }

    @Override
    public short i16(Object of, long offset) {
        return (Short) call("getShort", of, offset);
    }

    @Override
    public int i32(Object of, long offset) {
        return (Integer) call("getInt", of, offset);
    }

    @Override
    public long i64(Object of, long offset) {
        return (Long) call("getLong", of, offset);
    }

    private static UnsupportedOperationException readsOnly() {
        return new UnsupportedOperationException("captures write nothing");
    }

    @Override
    public void putRef(Object of, long offset, Object value) {
        throw readsOnly();
    }

    @Override
    public void putBool(Object of, long offset, boolean value) {
        throw readsOnly();
    }

    @Override
    public void put8(Object of, long offset, byte value) {
        throw readsOnly();
    }

    @Override
    public void put16(Object of, long offset, short value) {
        throw readsOnly();
    }

    @Override
    public void put32(Object of, long offset, int value) {
        throw readsOnly();
    }

    @Override
    public void put64(Object of, long offset, long value) {
        throw readsOnly();
    }
}
