package com.example.mirror;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class AuditOffTest {

    @Test
    void canBeTurnedOff() {
        Logger log = Logger.getLogger("mirror.audit");
        log.setLevel(Level.OFF);

        Audit.downloaded("guide.pdf");

        assertFalse(log.isLoggable(Level.SEVERE));
    }
}
