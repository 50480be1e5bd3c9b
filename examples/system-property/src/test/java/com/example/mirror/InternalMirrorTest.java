package com.example.mirror;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class InternalMirrorTest {

    private String file;

    @BeforeEach
    void anyFile() {
        file = "tool.zip";
    }

    @Test
    void companiesHaveTheirOwn() {
        System.setProperty("downloads.host", "mirror.corp.example");

        assertEquals("https://mirror.corp.example/tool.zip", Mirror.url(file));
    }
}
