package com.example.rates;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CrisisTest {

    @Test
    void ratesCanFall() {
        assertEquals(0.5, Rates.of("XAU", currency -> 0.5));
    }
}
