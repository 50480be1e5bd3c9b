package io.odfix.state;

import java.lang.ref.Reference;

/** The values of thread locals in the present thread, if the JDK stores them in the known place. */
final class ThreadLocals {
    private static final String TYPE = "java.lang.ThreadLocal$ThreadLocalMap";
    /** The map of a thread, its table, and the value of an entry; null if the JDK has none. */
    private static final JdkField[] WAY = way("threadLocals");
    /** The same for thread locals whose values new threads get. */
    private static final JdkField[] INHERITED = way("inheritableThreadLocals");

    private ThreadLocals() {}

    private static JdkField[] way(String map) {
        try {
            return new JdkField[] {new JdkField("java.lang.Thread", map), new JdkField(TYPE, "table"), new JdkField(TYPE + "$Entry", "value")};
        } catch (NoSuchFieldError e) {
            return null;
        }
    }

    static Object get(ThreadLocal<?> local) {
        JdkField[] way = local instanceof InheritableThreadLocal ? INHERITED : WAY;
        Object map = way == null ? null : way[0].ref(Thread.currentThread());
        Object[] table = map == null ? new Object[0] : (Object[]) way[1].ref(map);
        for (Object entry : table) {
            if (entry != null && ((Reference<?>) entry).get() == local) {
                return way[2].ref(entry);
            }
        }
        return null;
    }
}
