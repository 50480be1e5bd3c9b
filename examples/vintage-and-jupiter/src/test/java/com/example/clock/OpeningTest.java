package com.example.clock;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Instant;

import org.junit.jupiter.api.Test;

class OpeningTest {

    @Test
    void timeGoesOn() {
        BusinessClock.run();

        assertTrue(BusinessClock.now().isAfter(Instant.parse("2024-06-01T00:00:00Z")));
    }
}
