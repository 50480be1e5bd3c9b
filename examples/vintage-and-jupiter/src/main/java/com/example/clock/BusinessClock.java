package com.example.clock;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;

/** The time by which the business runs; it can be stopped for an audit. */
public final class BusinessClock {

    private static Clock clock = Clock.systemUTC();

    private BusinessClock() {
    }

    public static Instant now() {
        return clock.instant();
    }

    public static void stopAt(Instant moment) {
        clock = Clock.fixed(moment, ZoneOffset.UTC);
    }

    public static void run() {
        clock = Clock.systemUTC();
    }
}
