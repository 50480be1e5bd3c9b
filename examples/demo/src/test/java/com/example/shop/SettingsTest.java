package com.example.shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class SettingsTest {

    @Test
    public void keepsWhatWasSet() {
        Settings.set("shop.name", "Corner Shop");

        assertEquals("Corner Shop", Settings.get("shop.name"));
    }

    @Test
    public void resetBringsBackTheDefaults() {
        Settings.set(Settings.CURRENCY, "CHF");

        Settings.reset();

        assertEquals("EUR", Settings.get(Settings.CURRENCY));
    }
}
