package com.example.clock;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;

import org.junit.jupiter.api.Test;

class AuditTest {

    @Test
    void timeStandsStill() {
        Instant newYear = Instant.parse("2024-01-01T00:00:00Z");

        BusinessClock.stopAt(newYear);

        assertEquals(newYear, BusinessClock.now());
    }
}
