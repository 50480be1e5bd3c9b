package com.example.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SessionCacheTest {

    @AfterEach
    void everybodyGoes() {
        SessionCache.close("s1");
        SessionCache.close("s2");
    }

    @Test
    void theOldestSessionGoesFirst() {
        SessionCache.limitTo(1);
        SessionCache.open("s1", "ada");
        SessionCache.open("s2", "grace");

        assertNull(SessionCache.user("s1"));
    }

    @Test
    void twoPeopleAtOnce() {
        SessionCache.open("s1", "ada");
        SessionCache.open("s2", "grace");

        assertEquals("ada", SessionCache.user("s1"));
        assertEquals("grace", SessionCache.user("s2"));
    }

    @Test
    void aClosedSessionIsForgotten() {
        SessionCache.open("s1", "ada");
        SessionCache.close("s1");

        assertNull(SessionCache.user("s1"));
    }
}
