package com.example.shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class AbroadTest {

    @Test
    public void pricesAreShownInTheGuestsCurrency() {
        Currency.use("CHF");

        assertEquals("5 CHF", Currency.show(5));
    }
}
