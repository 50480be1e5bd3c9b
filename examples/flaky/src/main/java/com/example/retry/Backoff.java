package com.example.retry;

import java.security.SecureRandom;

/** How long to wait before the next try. */
public final class Backoff {

    private static final SecureRandom RANDOM = new SecureRandom();

    private Backoff() {
    }

    /** Milliseconds: doubles with each try, and up to as much again so that clients do not come back together. */
    public static int millis(int attempt) {
        int base = 100 << attempt;
        return base + RANDOM.nextInt(base);
    }
}
