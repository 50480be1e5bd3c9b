package com.example.hours;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

@SpringJUnitConfig(HotelConfiguration.class)
class LobbyTest {

    @Autowired
    private Lift lift;

    @Test
    void theLiftWaitsHere() {
        assertEquals(0, lift.floor());
    }

    @Test
    void thereIsALift() {
        assertEquals(Lift.class, lift.getClass());
    }
}
