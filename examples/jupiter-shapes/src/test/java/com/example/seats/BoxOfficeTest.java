package com.example.seats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

@DisplayName("The box office")
class BoxOfficeTest {

    @Test
    @DisplayName("answers a question (politely)")
    void answers() {
        assertTrue(SeatMap.isFree("Z", 99));
    }

    @Nested
    class InTheMorning {

        @Test
        void everySeatIsFree() {
            assertEquals(0, SeatMap.taken());
        }

        @Nested
        class AfterTheFirstSale {

            @Test
            void theSameSeatIsNotSoldTwice() {
                SeatMap.take("A", 1);

                assertThrows(IllegalStateException.class, () -> SeatMap.take("A", 1));
                SeatMap.free("A", 1);
            }
        }
    }

    @RepeatedTest(3)
    void freeingAFreeSeatIsHarmless() {
        SeatMap.free("A", 1);

        assertTrue(SeatMap.isFree("A", 1));
    }
}
