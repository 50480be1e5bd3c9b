package io.odfix.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RequestTest {
    @TempDir
    Path folder;

    private Request request(String properties) throws IOException {
        Files.write(folder.resolve("request.properties"), properties.getBytes(StandardCharsets.ISO_8859_1));
        return Request.read(folder);
    }

    @Test
    void wantsEveryModuleUnlessSomeAreNamed() throws IOException {
        assertTrue(request("").wants(new File("/a")));
        Request some = request("modules=/p/a\\u00e4\\n/p/b");
        assertTrue(some.wants(new File("/p/a\u00e4")));
        assertTrue(some.wants(new File("/p/b")));
        assertFalse(some.wants(new File("/p")));
    }

    @Test
    void numbersExecutionsInOrder() throws IOException {
        Request request = request("");
        assertEquals("001", request.executionFolder().getFileName().toString());
        assertEquals("002", request.executionFolder().getFileName().toString());
    }
}
