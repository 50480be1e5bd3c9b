package com.example.retry;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class BackoffTest {

    @Test
    void neverShorterThanTheBase() {
        assertTrue(Backoff.millis(3) >= 800);
    }

    /** Fails about every other time, in whatever order it runs. */
    @Test
    void theFirstRetryIsQuick() {
        assertTrue(Backoff.millis(0) < 150, "the first retry waits too long");
    }
}
