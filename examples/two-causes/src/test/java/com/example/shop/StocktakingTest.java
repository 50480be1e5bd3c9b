package com.example.shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class StocktakingTest {

    @Test
    public void nothingIsLeft() {
        Stock.clear();

        assertEquals(0, Stock.size());
    }
}
