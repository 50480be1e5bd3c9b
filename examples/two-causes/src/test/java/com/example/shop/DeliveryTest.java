package com.example.shop;

import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class DeliveryTest {

    @Test
    public void whatIsDeliveredIsInTheShelf() {
        Stock.deliver("tea");

        assertTrue(Stock.size() > 0);
    }
}
