package com.example.rates;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RatesTest {

    @Test
    void comeFromTheirSource() {
        assertEquals(2.5, Rates.of("XAU", currency -> 2.5));
    }
}
