package com.example.turnstile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class MorningTest {

    @Test
    void nobodyHasPassedYet() {
        assertEquals(0, Turnstile.passed());
    }
}
