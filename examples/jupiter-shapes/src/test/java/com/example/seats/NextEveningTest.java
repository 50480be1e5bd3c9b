package com.example.seats;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NextEveningTest {

    private int performances;

    @Test
    void beginsWithAnEmptyHall() {
        performances++;
        SeatMap.clear();

        assertTrue(SeatMap.isFree("B", performances));
    }
}
