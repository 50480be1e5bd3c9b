package com.example.hours;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

@SpringJUnitConfig(HotelConfiguration.class)
class CheckInTest {

    @Autowired
    private GuestBook book;

    @Test
    void aGuestArrives() {
        int before = book.count();

        book.checkIn("Mrs Dalloway");

        assertEquals(before + 1, book.count());
    }
}
