package com.example.parsers;

/** How sentences are read; whoever changes it has to put it back. */
public final class Settings {
    private static Mode mode = Mode.STRICT;
    static int uses;

    private Settings() {}

    public static Mode mode() {
        return mode;
    }

    public static void mode(Mode chosen) {
        mode = chosen;
        uses++;
    }

    /** Each mode remembers how often it was asked for. */
    public enum Mode {
        STRICT,
        LENIENT;

        private int asked;

        public int ask() {
            return ++asked;
        }
    }
}
