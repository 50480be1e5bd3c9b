package io.odfix.state;

import java.util.List;

/**
 * The methods of the agent that the harness and woven code call. The harness calls them by
 * reflection.
 */
public final class AgentApi {
    private static volatile Tracer tracer;

    private AgentApi() {}

    private static volatile Roots roots;

    /** @param observed null if the heap is not captured */
    static void install(Tracer made, Roots observed) {
        tracer = made;
        roots = observed;
    }

    /** True if fields of classes that are not woven can be roots. */
    static boolean includes() {
        Roots now = roots;
        return now != null && now.includes();
    }

    /** False for a class, by its internal name, whose static fields are not roots. */
    static boolean mayObserve(String owner) {
        Roots now = roots;
        return now == null || now.mayHold(owner);
    }

    /** True for classes of the project. */
    static boolean observes(String internal, java.security.ProtectionDomain domain) {
        Roots now = roots;
        return now != null && now.observes(internal, domain);
    }

    /**
     * A class that is not the JDK's is being loaded.
     *
     * @param woven it reports when it is initialised, where it has an initialiser
     */
    static void loads(String internal, java.security.ProtectionDomain domain, ClassScan scan, boolean woven) {
        Roots now = roots;
        if (now != null) {
            now.loads(internal, domain, scan, woven);
        }
    }

    /**
     * Ends a segment: everything since the last mark belongs to it.
     *
     * @param kind {@code t} for a test, {@code b} for what came before a test, {@code a} for what
     * came
     *     after it, {@code o} for what belongs to none
     * @return frames to send, each its type and its body
     */
    public static byte[][] mark(char kind, long position) {
        return tracer.mark(kind, position);
    }

    /** True in an order that restores state. Only classes with state to restore are woven then. */
    static boolean restores() {
        Tracer now = tracer;
        return now != null && now.restores();
    }

    /**
     * True for a class, by its internal name, with state to restore. Woven code reports that the
     * class is initialised.
     */
    static boolean remembers(String internal) {
        return tracer.remembers(internal.replace('/', '.'));
    }

    /** Saves state, given by the names under which it is announced. */
    public static void remember(List<String> places) {
        tracer.remember(places);
    }

    /**
     * Restores the saved state.
     *
     * @return a frame to send: the result for each name
     */
    public static byte[] restore() {
        return tracer.restore();
    }

    /** The present thread has just initialised the class. */
    static void classInitialised(Class<?> c) {
        Tracer now = tracer;
        if (now != null) {
            now.classInitialised(c);
        }
    }

    /** As {@link Ambient#call}. */
    static int call(String owner, String name) {
        Tracer now = tracer;
        return now == null ? 0 : now.ambient().call(owner, name);
    }

    /** The place that is touched if files may be written, or -1 if files are not compared. */
    static int files() {
        Roots now = roots;
        return now == null ? -1 : now.filesPlace();
    }

    /** The same for ports and processes that may be opened or closed. */
    static int opened() {
        Roots now = roots;
        return now == null ? -1 : now.openedPlace();
    }

    /** A class of the JDK is being loaded. */
    static void loads(String internal) {
        tracer.ambient().loads(internal);
    }

    static int property(String key) {
        return tracer.ambient().property(key);
    }

    /** A sentence for users about something that is not observed. */
    static void note(String text) {
        Tracer now = tracer;
        if (now != null) {
            now.note(text);
        }
    }
}
