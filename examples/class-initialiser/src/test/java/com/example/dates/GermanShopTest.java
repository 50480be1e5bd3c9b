package com.example.dates;

import static org.junit.Assert.assertTrue;

import java.util.Locale;

import org.junit.After;
import org.junit.Before;
import org.junit.Test;

public class GermanShopTest {

    private Locale saved;

    @Before
    public void inGermany() {
        saved = Locale.getDefault();
        Locale.setDefault(Locale.GERMANY);
    }

    @After
    public void backHome() {
        Locale.setDefault(saved);
    }

    @Test
    public void opensAtSeven() {
        assertTrue(OpeningHours.on(2, 7, 18).endsWith("7-18"));
    }
}
