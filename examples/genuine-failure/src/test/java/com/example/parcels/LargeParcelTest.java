package com.example.parcels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LargeParcelTest {

    @Test
    void fiveKilogramsAreMedium() {
        assertEquals(699, ParcelRates.cents(5000));
    }

    @Test
    void moreIsLarge() {
        assertEquals(1049, ParcelRates.cents(5001));
    }
}
