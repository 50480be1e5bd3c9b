package com.example.pool;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class ExhaustionTest {

    @Test
    public void thePoolCanBeEmptied() {
        while (ConnectionPool.free() > 0) {
            ConnectionPool.borrow();
        }

        assertEquals(0, ConnectionPool.free());
    }
}
