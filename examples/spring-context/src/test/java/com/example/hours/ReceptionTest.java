package com.example.hours;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

@SpringJUnitConfig(HotelConfiguration.class)
class ReceptionTest {

    @Autowired
    private Reception reception;

    @Test
    void isOpenInTheMorning() {
        assertTrue(reception.isOpen());
    }
}
