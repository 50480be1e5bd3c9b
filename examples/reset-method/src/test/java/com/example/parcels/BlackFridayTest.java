package com.example.parcels;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class BlackFridayTest {

    @Test
    public void parcelsAbroadAreHalfPrice() {
        Tariffs.offer("EU", 645);

        assertEquals(645, Tariffs.price("EU"));
    }
}
