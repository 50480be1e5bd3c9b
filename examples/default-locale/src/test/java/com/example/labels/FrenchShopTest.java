package com.example.labels;

import static org.junit.Assert.assertEquals;

import java.util.Locale;

import org.junit.Before;
import org.junit.Test;

public class FrenchShopTest {

    @Before
    public void inFrance() {
        Locale.setDefault(Locale.FRANCE);
    }

    @Test
    public void pricesHaveAComma() {
        assertEquals("pain 1,20", Label.of("pain", 1.2));
    }
}
