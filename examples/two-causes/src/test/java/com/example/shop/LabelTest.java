package com.example.shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class LabelTest {

    @Test
    public void showsThePrice() {
        assertEquals("3 EUR", Currency.show(3));
    }
}
