package com.example.badges.tests;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.example.badges.Badges;
import org.junit.jupiter.api.Test;

class ArrivalTest {

    @Test
    void aGuestGetsABadge() {
        Badges.issue("Ada");

        assertTrue(Badges.guests().contains("Ada"));
    }

    @Test
    void testsAreAModule() {
        assertTrue(ArrivalTest.class.getModule().isNamed());
    }
}
