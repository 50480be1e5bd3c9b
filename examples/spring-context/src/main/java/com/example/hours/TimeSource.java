package com.example.hours;

import java.time.LocalTime;

/** What time it is, for demonstrations; ten in the morning unless somebody says otherwise. */
public final class TimeSource {
    private static LocalTime now = LocalTime.of(10, 0);

    private TimeSource() {}

    public static LocalTime now() {
        return now;
    }

    public static void set(LocalTime time) {
        now = time;
    }

    public static void reset() {
        now = LocalTime.of(10, 0);
    }
}
