package com.example.clock;

import static org.junit.Assert.assertTrue;

import java.time.Duration;
import java.time.Instant;

import org.junit.Test;

/** Written for JUnit 4 and never moved. */
public class LegacyReminderTest {

    @Test
    public void isDueWhenItsTimeHasCome() {
        Instant due = Instant.now().minus(Duration.ofMinutes(1));

        assertTrue(BusinessClock.now().isAfter(due));
    }
}
