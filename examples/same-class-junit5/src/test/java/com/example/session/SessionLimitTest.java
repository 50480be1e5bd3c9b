package com.example.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SessionLimitTest {

    @Test
    void defaultsComeBack() {
        SessionCache.limitTo(7);
        assertEquals(7, SessionCache.limit());

        SessionCache.useDefaults();

        assertEquals(100, SessionCache.limit());
    }
}
