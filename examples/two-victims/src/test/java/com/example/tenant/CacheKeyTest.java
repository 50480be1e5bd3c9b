package com.example.tenant;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CacheKeyTest {

    @Test
    void beginsWithTheTenant() {
        assertEquals("public:menu", Paths.cacheKey("menu"));
    }
}
