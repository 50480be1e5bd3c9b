package com.example.importer;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import org.junit.jupiter.api.Test;

class BrokenImportTest {
    @Test
    void saysThatItRuns() throws Exception {
        Mark mark = new Mark(new File("target"));
        mark.set();
        assertTrue(mark.isSet());
        Counter.imports++;
    }

    /** What it leaves changed, too, and the other test reads, does no harm. */
    static final class Counter {
        static int imports;
    }
}
