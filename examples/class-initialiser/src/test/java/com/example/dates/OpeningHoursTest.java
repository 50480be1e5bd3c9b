package com.example.dates;

import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class OpeningHoursTest {

    @Test
    public void lookupsAreCounted() {
        int before = OpeningHours.lookups();
        OpeningHours.on(1, 9, 12);
        assertTrue(OpeningHours.lookups() > before);
    }
}
