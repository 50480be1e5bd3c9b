package com.example.weather;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class MaintenanceTest {

    @AfterEach
    void builtInAgain() {
        Station.useBuiltIn();
    }

    @Test
    void aSpareThermometerCanBeUsed() {
        Thermometer spare = mock(Thermometer.class);
        when(spare.celsius()).thenReturn(31.0);
        Station.use(spare);

        assertEquals("hot", Station.report());
    }
}
