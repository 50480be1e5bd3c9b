package com.example.tickets;

import static org.junit.Assert.assertEquals;

import com.example.fares.Fares;
import org.junit.Test;

public class SummerTest {
    @Test
    public void journeysCostHalf() {
        Fares.beginSeason(50);
        assertEquals("7.00 EUR", new Ticket(100).price());
    }
}
