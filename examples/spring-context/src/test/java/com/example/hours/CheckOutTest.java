package com.example.hours;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

@SpringJUnitConfig(HotelConfiguration.class)
class CheckOutTest {

    @Autowired
    private GuestBook guests;

    @Test
    void everybodyLeaves() {
        guests.checkIn("Clarissa");
        guests.checkOutAll();

        assertEquals(0, guests.count());
    }
}
