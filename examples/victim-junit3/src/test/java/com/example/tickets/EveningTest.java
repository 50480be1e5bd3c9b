package com.example.tickets;

import junit.framework.TestCase;

public class EveningTest extends TestCase {

    public void testNobodyWaitsInTheEvening() {
        TicketDesk.closeForTheDay();

        assertTrue(TicketDesk.waiting().isEmpty());
    }
}
