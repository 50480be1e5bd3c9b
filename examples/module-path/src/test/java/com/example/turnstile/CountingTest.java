package com.example.turnstile;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CountingTest {

    @Test
    void countsWhoeverPasses() {
        int before = Turnstile.passed();

        Turnstile.pass();

        assertEquals(before + 1, Turnstile.passed());
    }

    @Test
    void testsArePartOfTheModule() {
        assertEquals("com.example.turnstile", CountingTest.class.getModule().getName());
    }
}
