package com.example.pool;

import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class BorrowTest {

    @Test
    public void whatIsGivenBackIsFree() {
        ConnectionPool.borrow();
        ConnectionPool.giveBack();

        assertTrue(ConnectionPool.free() > 0);
    }
}
