package io.odfix.state;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ForkJoinPool;

/**
 * What an order can leave beside the heap, compared with what there was: threads, shutdown hooks, files, and what the operating system has
 * open for the process (files, sockets; child processes by the thread that waits for them). None of it can be put back.
 */
final class Leftover {
    /** How long threads that are about to end are waited for, in milliseconds. */
    private static final int PATIENCE = 300;

    private final ThreadGroup all;
    private final Set<Thread> threads;
    private final Set<Object> hooks;
    private final Set<String> open;
    private final Descriptors descriptors = new Descriptors();
    private final Files files = new Files();

    Leftover() throws NoSuchFieldException {
        ThreadGroup top = Thread.currentThread().getThreadGroup();
        while (top.getParent() != null) {
            top = top.getParent();
        }
        all = top;
        threads = living();
        hooks = hooks();
        files.asked();
        files.changes();
        open = descriptors.open();
    }

    /** Threads that ran already when all was remembered and may work on anything: what they use cannot be put back. */
    List<String> strangers() {
        List<String> out = new ArrayList<String>();
        for (Thread t : threads) {
            ThreadGroup in = t.getThreadGroup();
            if (in != null && in != all && t != Thread.currentThread() && !own(t)) {
                out.add("the thread " + t.getName() + " runs beside the tests");
            }
        }
        return out;
    }

    private static boolean own(Thread t) {
        return t.getName().equals("odfix-commands") || t.getThreadGroup() != null && t.getThreadGroup().getName().equals("InnocuousThreadGroup");
    }

    /** What there is that was not there, or is no more. */
    List<String> found() throws NoSuchFieldException {
        List<String> out = new ArrayList<String>();
        for (Thread t : fresh()) {
            out.add("the thread " + t.getName() + " lives on");
        }
        Set<Object> now = hooks();
        if (!now.equals(hooks)) {
            out.add("a shutdown hook came or went");
        }
        files.asked();
        for (Change c : files.changes()) {
            out.add("it wrote: " + c.path);
        }
        return out;
    }

    /** What of the operating system's is open that was not, or the other way round. */
    List<String> open() {
        List<String> out = new ArrayList<String>();
        Set<String> now = descriptors.open();
        for (String one : now) {
            if (!open.contains(one)) {
                out.add("left open: " + one);
            }
        }
        for (String one : open) {
            if (!now.contains(one)) {
                out.add("closed: " + one);
            }
        }
        return out;
    }

    /** True where something is open that was not: what was closed nobody opens again. */
    boolean mayClose() {
        return !open.containsAll(descriptors.open());
    }

    /**
     * Has the JVM look for what nobody can reach any more, and run the finalizers that wait for that, and waits a little until it is closed. Answers
     * false where the JVM was told not to look when it is asked (-XX:+DisableExplicitGC).
     */
    @SuppressWarnings({"deprecation", "removal"}) // no other way leads to finalizers that still are there
    boolean collect() {
        WeakReference<Object> unreachable = new WeakReference<Object>(new Object());
        System.gc();
        if (unreachable.get() != null) {
            return false;
        }
        System.runFinalization();
        for (int i = 0; i < PATIENCE && mayClose(); i++) {
            rest();
        }
        return true;
    }

    private static void rest() {
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            return; // meant for a test that is over
        }
    }

    private List<Thread> fresh() {
        List<Thread> out = unknown();
        for (int i = 0; i < PATIENCE && !out.isEmpty(); i++) {
            rest();
            out = unknown();
        }
        return out;
    }

    private List<Thread> unknown() {
        List<Thread> out = new ArrayList<Thread>();
        for (Thread t : living()) {
            if (!threads.contains(t) && t.isAlive() && !idle(t)) {
                out.add(t);
            }
        }
        return out;
    }

    /** Threads of the JDK that do nothing of themselves. */
    private static boolean idle(Thread t) {
        return (t.getName().equals("Common-Cleaner") || t.getName().equals(KeptAlive.TIMER)) && t.getClass().getClassLoader() == null
                || t.getName().startsWith("ForkJoinPool.commonPool-") && ForkJoinPool.commonPool().isQuiescent();
    }

    private Set<Thread> living() {
        Thread[] some = new Thread[64];
        int n = all.enumerate(some, true);
        while (n == some.length) {
            some = new Thread[4 * n];
            n = all.enumerate(some, true);
        }
        Set<Thread> out = Collections.newSetFromMap(new IdentityHashMap<Thread, Boolean>());
        out.addAll(java.util.Arrays.asList(some).subList(0, n));
        return out;
    }

    private static volatile Slot.Constant hooksField;

    /** The shutdown hooks, each by its identity. */
    static Set<Object> hooks() throws NoSuchFieldException {
        final Set<Object> out = Collections.newSetFromMap(new IdentityHashMap<Object, Boolean>());
        Slot.Constant field = hooksField;
        if (field == null) {
            field = new Slot.Constant("java.lang.ApplicationShutdownHooks", "hooks");
            hooksField = field;
        }
        Object hooks = field.held();
        Content content = hooks == null ? null : Content.in(hooks);
        if (content != null) {
            content.read(hooks, new Content.Into() {
                @Override
                public boolean take(Object hook, Object same) {
                    return hook == null || out.add(hook);
                }
            });
        }
        return out;
    }
}
