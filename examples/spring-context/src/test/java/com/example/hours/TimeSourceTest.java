package com.example.hours;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.LocalTime;
import org.junit.jupiter.api.Test;

class TimeSourceTest {

    @Test
    void goesBackToTheMorning() {
        TimeSource.set(LocalTime.NOON);

        TimeSource.reset();

        assertEquals(LocalTime.of(10, 0), TimeSource.now());
    }
}
