package com.example.units;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class CatalogueTest {

    @Test
    void standardUnitsAreThere() {
        Units.loadStandard();

        assertEquals(1, Units.convert(1000, "m", "km"));
    }

    @Test
    void refusesAUnitItDoesNotKnow() {
        assertThrows(IllegalArgumentException.class, () -> Units.convert(1, "ell", "parsec"));
    }
}
