package com.example.badges.tests;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.example.badges.Badges;
import org.junit.jupiter.api.Test;

class DepartureTest {

    @Test
    void theLastOneTurnsOffTheLight() {
        assertEquals(0, Badges.guests().size());
    }
}
