package io.odfix.state;

import java.util.List;

/** What the harness, which is in another class loader, calls by reflection. */
public final class Marks {
    private static volatile Tracer tracer;

    private Marks() {}

    private static volatile Roots roots;

    /** @param observed null where only places are told */
    static void install(Tracer made, Roots observed) {
        tracer = made;
        roots = observed;
    }

    /** A class that is not the JDK's is being loaded. */
    static void loads(ClassLoader loader, String internal, java.security.ProtectionDomain domain) {
        Roots now = roots;
        if (now != null) {
            now.loads(loader, internal, domain);
        }
    }

    /**
     * Ends a segment: everything since the last mark belongs to it.
     *
     * @param kind {@code t} for a test, {@code b} for what came before a test, {@code a} for what came
     *     after it, {@code o} for what belongs to none
     * @return frames to send, each its type and its body
     */
    public static byte[][] mark(char kind, long position) {
        return tracer.mark(kind, position);
    }

    /** Remembers places, by the names that are told of them. */
    public static void remember(List<String> places) {
        tracer.remember(places);
    }

    /**
     * Puts back what was remembered.
     *
     * @return a frame to send: how that went
     */
    public static byte[] back() {
        return tracer.back();
    }

    /** The class has been initialised, by the present thread and just now. */
    static void begun(Class<?> c) {
        Tracer now = tracer;
        if (now != null) {
            now.begun(c);
        }
    }

    /** As {@link Ambient#call}. */
    static int call(String name) {
        return tracer.ambient().call(name);
    }

    /** A class of the JDK is being loaded. */
    static void loads(String internal) {
        tracer.ambient().loads(internal);
    }

    static int property(String key) {
        return tracer.ambient().property(key);
    }

    /** A sentence for people: something is not observed. */
    static void note(String text) {
        Tracer now = tracer;
        if (now != null) {
            now.note(text);
        }
    }
}
