package com.example.dates;

import static org.junit.Assert.assertEquals;

import java.util.Locale;

import org.junit.BeforeClass;
import org.junit.Test;

public class WeekdaysTest {

    @BeforeClass
    public static void english() {
        Locale.setDefault(Locale.ENGLISH);
    }

    @Test
    public void mondayIsTheSecondDay() {
        assertEquals("Monday", Weekdays.name(2));
    }
}
