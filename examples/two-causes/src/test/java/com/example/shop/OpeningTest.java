package com.example.shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class OpeningTest {

    @Test
    public void aNewShopIsEmpty() {
        assertEquals(0, Stock.size());
    }
}
