package com.example.units;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ConversionTest {

    @Test
    void milesToKilometres() {
        assertEquals(16.09344, Units.convert(10, "mi", "km"), 1e-9);
    }

    @Test
    void aUnitOfOnesOwn() {
        Units.register("furlong", 201.168);
        Units.register("chain", 20.1168);

        assertEquals(10, Units.convert(1, "furlong", "chain"), 1e-9);
    }
}
