package com.example.mirror;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PublicMirrorTest {

    @Test
    void isTheDefault() {
        assertEquals("https://downloads.example.com/guide.pdf", Mirror.url("guide.pdf"));
    }
}
