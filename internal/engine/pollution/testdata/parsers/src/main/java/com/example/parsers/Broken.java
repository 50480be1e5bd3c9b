package com.example.parsers;

/** Its initialiser fails, each time somebody comes by. */
public final class Broken {
    private static final int[] NUMBERS = load();

    private Broken() {}

    public static int first() {
        return NUMBERS[0];
    }

    private static int[] load() {
        throw new IllegalStateException("no numbers here");
    }
}
