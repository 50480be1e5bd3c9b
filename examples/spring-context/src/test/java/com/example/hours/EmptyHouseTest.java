package com.example.hours;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

@SpringJUnitConfig(HotelConfiguration.class)
class EmptyHouseTest {

    @Autowired
    private ApplicationContext house;

    @Test
    void nobodyIsInAtFirst() {
        assertEquals(0, house.getBean(GuestBook.class).count());
    }

    @Test
    void hasAReception() {
        assertTrue(house.containsBean("reception"));
    }
}
