package com.example.tickets;

import java.util.ArrayList;
import java.util.List;

/** Numbers the people who wait; one desk for the whole hall. */
public final class TicketDesk {

    private static final List<String> WAITING = new ArrayList<String>();

    private static int last;

    private TicketDesk() {
    }

    public static int take(String name) {
        WAITING.add(name);
        return ++last;
    }

    public static List<String> waiting() {
        return WAITING;
    }

    /** In the evening the numbers begin at one again. */
    public static void closeForTheDay() {
        WAITING.clear();
        last = 0;
    }
}
