package com.example.dates;

import java.text.DateFormatSymbols;

/** Names of the days of the week. */
public final class Weekdays {

    private static final String[] NAMES = new DateFormatSymbols().getWeekdays();

    private Weekdays() {
    }

    /** The name of a day: 1 is Sunday. */
    public static String name(int day) {
        return NAMES[day];
    }
}
