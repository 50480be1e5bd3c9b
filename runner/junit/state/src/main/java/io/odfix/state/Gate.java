package io.odfix.state;

import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * What woven code calls, as a copy in java.lang ({@link Setup#GATE}). It refers to classes of the
 * JDK only. The common case, a place that the running test has touched already, takes one read of
 * an array.
 */
public final class Gate {
    /** By place: {@link Sites#READ}, {@link Sites#WRITE} and their like, since the last mark. */
    public static byte[] seen = new byte[0];
    /**
     * By place: the number of the last putstatic that was passed, where putstatics have numbers.
     */
    public static int[] last = new int[0];
    /** Takes place × 16 + bit, or where a static initialiser begins −1, and where one fails −2. */
    public static IntConsumer marks;
    /**
     * Takes the key of a system property that is read, a field that is got by reflection, in an
     * array one that is set, or a class.
     */
    public static Consumer<Object> keys;

    /**
     * Takes writes into objects, where lines are recorded; {@link WriteLog#accept} distinguishes
     * them by length.
     */
    public static Consumer<Object[]> writes;

    private Gate() {}

    public static void read(int place) {
        byte[] now = seen;
        if (place >= now.length || (now[place] & 1) == 0) {
            marks.accept(place << 4 | 1);
        }
    }

    public static void write(int place) {
        byte[] now = seen;
        if (place >= now.length || (now[place] & 2) == 0) {
            marks.accept(place << 4 | 2);
        }
    }

    /** As write, by the putstatic of that number. */
    public static void writeAt(int place, int by) {
        int[] now = last;
        if (place < now.length) {
            now[place] = by;
        }
        write(place);
    }

    public static void property(Object key) {
        keys.accept(key);
    }

    public static void setsProperty(Object key) {
        keys.accept(new Object[] {key});
    }

    /**
     * A static initialiser begins: what it touches is initialisation, in this thread, until it is
     * over.
     */
    public static void initialises() {
        marks.accept(-1);
    }

    /** The static initialiser of a class is over. */
    public static void initialised(Class<?> c) {
        keys.accept(c);
    }

    /** The object, or key and value, of the next call of wrote in the same thread. */
    public static void holds(Object to) {
        writes.accept(new Object[] {to});
    }

    public static void holds(Object key, Object value) {
        writes.accept(new Object[] {key, value});
    }

    public static void holds(int key, Object value) {
        writes.accept(new Object[] {key, value});
    }

    /** A line is about to write what is held into the object. */
    public static void wrote(Object to, int line) {
        writes.accept(new Object[] {to, line, null, null});
    }

    /** A line is about to empty it. */
    public static void wroteAll(Object to, int line) {
        writes.accept(new Object[] {to, line, to, null});
    }

    public static void wrote(Object to, Object value, int line) {
        writes.accept(new Object[] {to, value, line});
    }

    /** A line is about to write this into the object that is held. */
    public static void wroteToHeld(Object value, int line) {
        writes.accept(new Object[] {value, line, null, null, null});
    }

    /** A static initialiser ended with an exception. */
    public static void failed() {
        marks.accept(-2);
    }
}
