package com.example.retry;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class GivingUpTest {

    @Test
    void waitsLongerEachTime() {
        assertTrue(Backoff.millis(0) < Backoff.millis(1));
    }
}
