package com.example.importer;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.File;
import org.junit.jupiter.api.Test;

class MarkTest {
    @Test
    void canBeCleared() {
        Mark mark = new Mark(new File("target"));
        mark.clear();
        assertFalse(mark.isSet());
    }
}
