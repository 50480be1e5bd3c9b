package com.example.flags;

import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class WeightedRankingTest {

    @Test
    public void canBeSwitchedOn() {
        Flags.enable("new-ranking");

        assertTrue(Flags.isOn("new-ranking"));
    }
}
