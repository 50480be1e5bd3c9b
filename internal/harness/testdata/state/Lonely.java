package state;

/** Loaded by two class loaders. */
public class Lonely {
    static int count;

    public static int count() {
        return ++count;
    }
}
