package com.example.turnstile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class NightWatchTest {

    @Test
    void resetsTheCounter() {
        Turnstile.pass();

        Turnstile.reset();

        assertEquals(0, Turnstile.passed());
    }
}
