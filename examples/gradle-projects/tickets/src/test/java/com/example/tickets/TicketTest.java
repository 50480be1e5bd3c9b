package com.example.tickets;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class TicketTest {
    @Test
    public void hasThePriceOfTheJourney() {
        assertEquals("14.00 EUR", new Ticket(100).price());
    }

    @Test
    public void hasItsCurrency() {
        assertTrue(new Ticket(10).price().endsWith(" EUR"));
    }
}
