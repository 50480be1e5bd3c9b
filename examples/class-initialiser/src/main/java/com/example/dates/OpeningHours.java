package com.example.dates;

/** When a shop is open. */
public final class OpeningHours {

    private static int lookups;

    private OpeningHours() {
    }

    public static String on(int day, int from, int to) {
        lookups++;
        return Weekdays.name(day) + " " + from + "-" + to;
    }

    public static int lookups() {
        return lookups;
    }
}
