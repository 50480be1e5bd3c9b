package com.example.flags;

import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class StoredFlagsTest {

    @Test
    public void clearSwitchesEverythingOff() {
        Flags.enable("dark-mode");
        Flags.clear();

        assertFalse(Flags.isOn("dark-mode"));
    }

    @Test
    public void unknownFlagsAreOff() {
        assertFalse(Flags.isOn("time-travel"));
    }

    @Test
    public void flagsAreCaseSensitive() {
        Flags.enable("Beta");

        assertTrue(Flags.isOn("Beta"));
        assertFalse(Flags.isOn("beta"));
    }
}
