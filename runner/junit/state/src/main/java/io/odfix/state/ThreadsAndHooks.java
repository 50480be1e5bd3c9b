package io.odfix.state;

import java.util.HashMap;
import java.util.Map;

/** Running threads, except the JVM's own, and shutdown hooks. */
final class ThreadsAndHooks {
    private static final NamedObject IS = new NamedObject("running", 0);
    private static final NamedObject SET = new NamedObject("registered", 0);
    /**
     * How often new threads are looked for again, a millisecond later, because they may be about to
     * end.
     */
    private static final int RECHECKS = 3;

    private ThreadsAndHooks() {}

    /** Waits a moment. False if the thread is interrupted, which is left to the tests. */
    static boolean rests() {
        if (Thread.currentThread().isInterrupted()) {
            return false;
        }
        try {
            Thread.sleep(1);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Living threads by name. */
    static final class Threads extends ExternalState {
        private ThreadGroup all = Thread.currentThread().getThreadGroup();
        private Map<String, Object> known = new HashMap<String, Object>();

        Threads() {
            super("thread");
            while (all.getParent() != null) {
                all = all.getParent();
            }
        }

        /** The end of a thread is not reported, because its time is chance. */
        @Override
        boolean isReported(Object was, Object now) {
            return now != null;
        }

        @Override
        Map<String, Object> look() {
            Map<String, Object> now = now();
            for (int i = 0; i < RECHECKS && !known.keySet().containsAll(now.keySet()) && rests(); i++) {
                now = now();
            }
            known = now;
            return now;
        }

        private Map<String, Object> now() {
            Thread[] some = new Thread[64];
            int n = all.enumerate(some, true);
            while (n == some.length) {
                some = new Thread[4 * n];
                n = all.enumerate(some, true);
            }
            Map<String, Object> out = new HashMap<String, Object>();
            for (int i = 0; i < n; i++) {
                ThreadGroup in = some[i].getThreadGroup();
                if (some[i] != Thread.currentThread() && in != null && in != all && !jdks(in, some[i].getName())) {
                    out.put(some[i].getName(), IS);
                }
            }
            return out;
        }

        /**
         * Threads that the JDK starts for its own purposes, including the carriers of virtual
         * threads from JDK 21 on.
         */
        private static boolean jdks(ThreadGroup in, String name) {
            return in.getName().equals("InnocuousThreadGroup") || in.getName().equals("CarrierThreads") || name.startsWith("ForkJoinPool.commonPool-") || name.equals("process reaper");
        }
    }

    /** Shutdown hooks by the name of their thread's class, or of the thread. */
    static final class Hooks extends ExternalState {
        Hooks() {
            super("shutdown hook");
        }

        private StaticField field;

        @Override
        Map<String, Object> look() {
            final Map<String, Object> out = new HashMap<String, Object>();
            if (field == null) {
                field = JdkField.constant("java.lang.ApplicationShutdownHooks", "hooks");
            }
            Object hooks = field.reference();
            CollectionContent content = hooks == null ? null : CollectionContent.in(hooks);
            if (content != null) {
                content.read(hooks, new CollectionContent.Into() {
                    @Override
                    public boolean take(Object hook, Object same) {
                        if (hook instanceof Thread) {
                            add((Thread) hook, out);
                        }
                        return true;
                    }
                });
            }
            return out;
        }

        private static void add(Thread hook, Map<String, Object> to) {
            Class<?> type = hook.getClass();
            if (type == Thread.class || type.getClassLoader() != null) { // else the JDK's own
                to.put(type == Thread.class ? hook.getName() : type.getName(), SET);
            }
        }
    }
}
