package com.example.parsers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class ARegistryTest {
    @Test
    void registersParser() {
        Registry.getInstance().register("vdm", String::hashCode);
        assertEquals(2, Registry.getInstance().names().size());
    }

    @Test
    void brokenClassFails() {
        assertThrows(LinkageError.class, Broken::first);
    }
}
