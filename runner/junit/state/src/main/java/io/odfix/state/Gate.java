package io.odfix.state;

import java.util.function.Consumer;
import java.util.function.IntConsumer;

/**
 * The methods that woven code calls, as a copy in java.lang ({@link Setup#GATE}). They refer to
 * classes of the JDK only. The common case needs one read of an array: a place that the running
 * test has already touched.
 */
public final class Gate {
    /** By place: bits such as {@link Sites#READ} and {@link Sites#WRITE}, since the last mark. */
    public static byte[] seen = new byte[0];
    /** By place: the number of the last putstatic that was executed, if putstatics have numbers. */
    public static int[] last = new int[0];
    /** Receives place × 16 + bit, −1 when a static initialiser begins, and −2 when one fails. */
    public static IntConsumer marks;
    /**
     * Receives the key of a system property that is read, a field that is got by reflection, an
     * array with a property that is set, or a class.
     */
    public static Consumer<Object> keys;

    /**
     * Receives writes into objects, if lines are recorded. {@link WriteLog#accept} distinguishes
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

    /** As write, for the putstatic of that number. */
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
     * A static initialiser begins. Until it ends, the places that this thread touches count as
     * initialisation.
     */
    public static void initialises() {
        marks.accept(-1);
    }

    /** The static initialiser of a class has ended. */
    public static void initialised(Class<?> c) {
        keys.accept(c);
    }

    /** The object, or the key and value, of the thread's next call of wrote. */
    public static void holds(Object to) {
        writes.accept(new Object[] {to});
    }

    public static void holds(Object key, Object value) {
        writes.accept(new Object[] {key, value});
    }

    public static void holds(int key, Object value) {
        writes.accept(new Object[] {key, value});
    }

    /** A line is about to write the stored value into the object. */
    public static void wrote(Object to, int line) {
        writes.accept(new Object[] {to, line, null, null});
    }

    /** A line is about to empty the object. */
    public static void wroteAll(Object to, int line) {
        writes.accept(new Object[] {to, line, to, null});
    }

    public static void wrote(Object to, Object value, int line) {
        writes.accept(new Object[] {to, value, line});
    }

    /** A line is about to write this value into the stored object. */
    public static void wroteToHeld(Object value, int line) {
        writes.accept(new Object[] {value, line, null, null, null});
    }

    /** A static initialiser ended with an exception. */
    public static void failed() {
        marks.accept(-2);
    }
}
