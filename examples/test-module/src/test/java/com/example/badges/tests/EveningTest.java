package com.example.badges.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.example.badges.Badges;
import org.junit.jupiter.api.Test;

class EveningTest {

    @Test
    void everybodyReturnsTheirs() {
        Badges.issue("Bo");

        Badges.returnAll();

        assertEquals(0, Badges.guests().size());
    }
}
