package com.example.hours;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

@SpringJUnitConfig(HotelConfiguration.class)
class LiftTest {

    @Autowired
    private Lift lift;

    @Test
    void goesUp() {
        int before = lift.floor();

        lift.up(3);

        assertEquals(before + 3, lift.floor());
    }
}
