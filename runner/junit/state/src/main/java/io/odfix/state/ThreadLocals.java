package io.odfix.state;

import java.lang.ref.Reference;

/** The values of thread locals in the present thread, if the JDK stores them in the known place. */
final class ThreadLocals {
    private static final String TYPE = "java.lang.ThreadLocal$ThreadLocalMap";
    /** The map of a thread, its table, and the value of an entry; null if the JDK has none. */
    private static final JdkField[] WAY = way();

    private ThreadLocals() {}

    private static JdkField[] way() {
        try {
            return new JdkField[] {new JdkField("java.lang.Thread", "threadLocals"), new JdkField(TYPE, "table"), new JdkField(TYPE + "$Entry", "value")};
        } catch (NoSuchFieldError e) {
            return null;
        }
    }

    static Object get(ThreadLocal<?> local) {
        Object map = WAY == null ? null : WAY[0].ref(Thread.currentThread());
        Object[] table = map == null ? new Object[0] : (Object[]) WAY[1].ref(map);
        for (Object entry : table) {
            if (entry != null && ((Reference<?>) entry).get() == local) {
                return WAY[2].ref(entry);
            }
        }
        return null;
    }
}
