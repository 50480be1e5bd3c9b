package com.example.shop;

import static org.junit.Assert.assertEquals;

import org.junit.Before;
import org.junit.Test;

public class ReceiptTest {

    private Receipt receipt;

    @Before
    public void twoThingsInTheBasket() {
        receipt = new Receipt();
        receipt.add(350);
        receipt.add(150);
    }

    @Test
    public void countsTheItems() {
        assertEquals(2, receipt.items());
    }

    @Test
    public void printsTheTotal() {
        assertEquals("5.00 EUR", receipt.total());
    }
}
