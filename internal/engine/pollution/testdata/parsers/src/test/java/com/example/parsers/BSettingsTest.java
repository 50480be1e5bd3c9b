package com.example.parsers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class BSettingsTest {
    @BeforeAll
    static void lenient() {
        Settings.mode(Settings.Mode.LENIENT);
    }

    @AfterAll
    static void strict() {
        Settings.mode(Settings.Mode.STRICT);
    }

    @Test
    void isLenient() {
        assertEquals(Settings.Mode.LENIENT, Settings.mode());
    }

    @Test
    void asks() {
        assertEquals(1, Settings.mode().ask());
    }

    @Test
    void putsBack() {
        Settings.mode(Settings.Mode.STRICT);
        Settings.mode(Settings.Mode.LENIENT);
        Settings.uses -= 2;
    }

    @Test
    void leavesAProperty() {
        System.setProperty("com.example.verbose", "yes");
    }
}
