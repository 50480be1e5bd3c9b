package com.example.parcels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SmallParcelTest {

    @Test
    void aLetterIsSmall() {
        assertEquals(499, ParcelRates.cents(20));
    }

    @Test
    void twoKilogramsAreSmall() {
        assertEquals(499, ParcelRates.cents(2000));
    }
}
