package io.odfix.state;

import java.lang.ref.Reference;
import java.lang.reflect.Field;

/** The values that thread locals have in the present thread, where the JDK keeps them. */
final class ThreadLocals {
    private static final long MAP = offset(Thread.class, "threadLocals");
    private static final long TABLE = offset(nested("ThreadLocalMap"), "table");
    private static final long VALUE = offset(nested("ThreadLocalMap$Entry"), "value");

    private ThreadLocals() {}

    private static Class<?> nested(String name) {
        try {
            return Class.forName("java.lang.ThreadLocal$" + name, false, null);
        } catch (ClassNotFoundException e) {
            return null;
        }
    }

    private static long offset(Class<?> c, String name) {
        try {
            Field field = c == null ? null : c.getDeclaredField(name);
            return field == null ? -1 : FieldAccess.memory.offset(field);
        } catch (NoSuchFieldException e) {
            return -1;
        }
    }

    static Object get(ThreadLocal<?> local) {
        Object map = MAP < 0 || TABLE < 0 || VALUE < 0 ? null : FieldAccess.memory.ref(Thread.currentThread(), MAP);
        Object[] table = map == null ? new Object[0] : (Object[]) FieldAccess.memory.ref(map, TABLE);
        for (Object entry : table) {
            if (entry != null && ((Reference<?>) entry).get() == local) {
                return FieldAccess.memory.ref(entry, VALUE);
            }
        }
        return null;
    }
}
