package com.example.parcels;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class ParcelTest {

    @Test
    public void abroadCostsMore() {
        assertEquals(1290, Tariffs.price("EU"));
    }

    @Test
    public void homeIsCheap() {
        assertEquals(590, Tariffs.price("HOME"));
    }
}
