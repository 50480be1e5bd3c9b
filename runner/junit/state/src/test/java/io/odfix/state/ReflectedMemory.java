package io.odfix.state;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.Map;

/**
 * {@link FieldAccess} by the same methods that {@link Memory} calls, found by reflection, because
 * the tests are not in java.lang.
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
    public long bits(Object of, long offset, Class<?> type) {
        if (type == boolean.class) {
            return (Boolean) call("getBoolean", of, offset) ? 1 : 0;
        } else if (type == char.class) {
            return (Character) call("getChar", of, offset);
        }
        String size = type == int.class || type == float.class ? "Int" : type == long.class || type == double.class ? "Long"
                : type == byte.class ? "Byte" : "Short";
        return ((Number) call("get" + size, of, offset)).longValue();
    }

    private static UnsupportedOperationException readsOnly() {
        return new UnsupportedOperationException("captures write nothing");
    }

    @Override
    public void putRef(Object of, long offset, Object value) {
        throw readsOnly();
    }

    @Override
    public void put(Object of, long offset, Class<?> type, long bits) {
        throw readsOnly();
    }
}
