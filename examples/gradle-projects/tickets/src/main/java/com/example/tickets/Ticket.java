package com.example.tickets;

import com.example.fares.Fares;

/** A ticket for one journey. */
public final class Ticket {
    private final int kilometres;

    public Ticket(int kilometres) {
        this.kilometres = kilometres;
    }

    /** What is printed on the ticket. */
    public String price() {
        int cents = Fares.of(kilometres);
        return String.format("%d.%02d %s", cents / 100, cents % 100, System.getProperty("tickets.currency"));
    }
}
