package com.example.flags;

import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class VectorIndexTest {

    @Test
    public void canBeSwitchedOn() {
        Flags.enable("vector-index");

        assertTrue(Flags.isOn("vector-index"));
    }
}
