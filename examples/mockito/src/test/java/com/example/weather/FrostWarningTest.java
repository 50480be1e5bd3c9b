package com.example.weather;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import org.junit.jupiter.api.Test;

class FrostWarningTest {

    @Test
    void warnsBelowZero() {
        Thermometer outside = mock(Thermometer.class);
        when(outside.celsius()).thenReturn(-3.5);
        Station.use(outside);

        assertEquals("frost", Station.report());
        verify(outside).celsius();
    }
}
