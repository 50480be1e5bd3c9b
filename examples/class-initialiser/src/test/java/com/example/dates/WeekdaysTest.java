package com.example.dates;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class WeekdaysTest {

    @Test
    public void mondayIsTheSecondDay() {
        assertEquals("Monday", Weekdays.name(2));
    }
}
