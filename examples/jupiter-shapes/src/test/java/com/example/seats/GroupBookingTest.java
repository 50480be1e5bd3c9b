package com.example.seats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GroupBookingTest {

    @ParameterizedTest(name = "{1} seats in row {0}")
    @CsvSource({"B, 2", "C, 4"})
    void takesARow(String row, int seats) {
        for (int number = 1; number <= seats; number++) {
            SeatMap.take(row, number);
        }

        assertFalse(SeatMap.isFree(row, seats));
    }

    @TestFactory
    Stream<DynamicTest> everySeatCanBeGivenBack() {
        return IntStream.rangeClosed(1, 3).mapToObj(number ->
                DynamicTest.dynamicTest("seat " + number, () -> {
                    int before = SeatMap.taken();
                    SeatMap.take("D", number);
                    SeatMap.free("D", number);
                    assertEquals(before, SeatMap.taken());
                }));
    }
}
