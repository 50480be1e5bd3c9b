package com.example.mirror;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

class AuditTest {

    @Test
    void tellsOfADownload() {
        List<String> told = new ArrayList<>();
        Handler listener = new Handler() {
            @Override
            public void publish(LogRecord record) {
                told.add(record.getMessage());
            }

            @Override
            public void flush() {
            }

            @Override
            public void close() {
            }
        };
        Logger log = Logger.getLogger("mirror.audit");
        log.addHandler(listener);

        Audit.downloaded("tool.zip");

        log.removeHandler(listener);
        assertEquals(Collections.singletonList("tool.zip"), told);
    }
}
