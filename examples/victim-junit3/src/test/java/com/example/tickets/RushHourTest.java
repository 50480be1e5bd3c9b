package com.example.tickets;

import junit.framework.TestCase;

public class RushHourTest extends TestCase {

    private int before;

    protected void setUp() {
        before = TicketDesk.waiting().size();
    }

    public void testManyCanWait() {
        for (int i = 0; i < 50; i++) {
            TicketDesk.take("visitor " + i);
        }

        assertEquals(before + 50, TicketDesk.waiting().size());
    }

    public void testNumbersGrow() {
        int first = TicketDesk.take("Grace");

        assertTrue(first < TicketDesk.take("Edsger"));
        TicketDesk.waiting().remove("Grace");
        TicketDesk.waiting().remove("Edsger");
    }
}
