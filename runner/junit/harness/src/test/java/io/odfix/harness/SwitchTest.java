package io.odfix.harness;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SwitchTest {
    @AfterEach
    void all() {
        Switch.mask = "";
    }

    /** What a statement throws fails its trial, but not the trial of a group of statements. */
    @Test
    void onlyALoneStatementThrows() {
        IOException thrown = new IOException("closed");
        Switch.mask = "010";
        assertSame(thrown, assertThrows(IOException.class, () -> Switch.threw(thrown)));
        for (String several : new String[] {"011", "", "000"}) {
            Switch.mask = several;
            assertDoesNotThrow(() -> Switch.threw(thrown), several);
        }
    }
}
