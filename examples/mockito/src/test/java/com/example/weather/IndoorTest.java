package com.example.weather;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class IndoorTest {

    @Test
    void itIsMildInside() {
        assertEquals("mild", Station.report());
    }
}
