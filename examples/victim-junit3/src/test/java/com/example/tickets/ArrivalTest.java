package com.example.tickets;

import java.util.Collections;

import junit.framework.TestCase;

public class ArrivalTest extends TestCase {

    public void testTheFirstOneWaitsAlone() {
        TicketDesk.take("Ada");
        try {
            assertEquals(Collections.singletonList("Ada"), TicketDesk.waiting());
        } finally {
            TicketDesk.waiting().remove("Ada");
        }
    }
}
