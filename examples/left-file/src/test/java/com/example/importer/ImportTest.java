package com.example.importer;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import org.junit.jupiter.api.Test;

class ImportTest {
    @Test
    void nothingRunsYet() {
        assertTrue(BrokenImportTest.Counter.imports >= 0);
        assertFalse(new Mark(new File("target")).isSet(), "an import is running");
    }
}
