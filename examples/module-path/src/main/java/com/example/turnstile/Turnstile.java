package com.example.turnstile;

/** Counts visitors, for the whole building. */
public final class Turnstile {
    private static int passed;

    private Turnstile() {}

    public static void pass() {
        passed++;
    }

    public static int passed() {
        return passed;
    }

    /** For the night watch only, hence not public. */
    static void reset() {
        passed = 0;
    }
}
