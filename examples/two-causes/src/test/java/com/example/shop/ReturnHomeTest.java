package com.example.shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class ReturnHomeTest {

    @Test
    public void theOwnCurrencyIsBack() {
        Currency.useOwn();

        assertEquals("1 EUR", Currency.show(1));
    }
}
