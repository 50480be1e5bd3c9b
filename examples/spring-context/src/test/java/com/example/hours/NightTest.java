package com.example.hours;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.time.LocalTime;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

@SpringJUnitConfig(HotelConfiguration.class)
class NightTest {

    @Autowired
    private Reception reception;

    @Test
    void isClosedAtNight() {
        TimeSource.set(LocalTime.of(23, 30));

        assertFalse(reception.isOpen());
    }

    @Test
    void closesAtTen() {
        assertEquals(22, reception.closingHour());
    }
}
