package io.odfix.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class FakeJdkTest {
    @TempDir
    Path temp;

    @Test
    void goodbyesByVersion() {
        assertEquals("Z,0,BYE!\n", FakeJdk.goodbye("2.12.4"));
        assertEquals("Z,0,BYE!\n", FakeJdk.goodbye("3.0.0-M3"));
        assertEquals(":maven:surefire:std:out:bye:\n", FakeJdk.goodbye("3.0.0-M4"));
        assertEquals(":maven-surefire-event:bye:\n", FakeJdk.goodbye("3.0.0-M5"));
        assertEquals(":maven-surefire-event:\003:bye:\n", FakeJdk.goodbye("3.0.0-M6"));
        assertEquals(":maven-surefire-event:\003:bye:\n", FakeJdk.goodbye("3.5.2"));
    }

    @Test
    void copiesTheRealReleaseAlsoFromBesideAnOldJre() throws IOException {
        Path java = temp.resolve("real/jre/bin/java");
        Files.createDirectories(java.getParent());
        Files.write(java, new byte[0]);
        Files.write(temp.resolve("real/release"), "JAVA_VERSION=\"1.8.0_402\"\n".getBytes(StandardCharsets.UTF_8));
        Path fake = FakeJdk.create(temp.resolve("record"), java.toString(), "3.2.5");
        assertTrue(fake.endsWith("bin/java"));
        assertEquals("JAVA_VERSION=\"1.8.0_402\"\n", text(temp.resolve("record/jdk/release")));
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "the recorder is a shell script")
    void recordsWhatItIsGiven() throws Exception {
        Path surefire = Files.createDirectories(temp.resolve("sure fire"));
        Files.write(surefire.resolve("surefire1tmp"), "tc.0=a.B\n".getBytes(StandardCharsets.UTF_8));
        Path record = temp.resolve("re cord");
        Path fake = FakeJdk.create(record, System.getProperty("java.home") + "/bin/java", "2.22.2");
        ProcessBuilder fork = new ProcessBuilder(fake.toString(), "-Dx=a b\n c", "-jar", "/t/surefirebooter1.jar", surefire.toString(), "surefire1tmp");
        fork.environment().put("ODD", "line one\nline two");
        Process process = fork.directory(surefire.toFile()).start();
        byte[] said = new byte[64];
        int length = process.getInputStream().read(said);
        assertEquals(0, process.waitFor());
        assertEquals("Z,0,BYE!\n", new String(said, 0, length, StandardCharsets.UTF_8));
        assertEquals("-Dx=a b\n c\0-jar\0/t/surefirebooter1.jar\0" + surefire + "\0surefire1tmp\0", text(record.resolve("fork1/args")));
        assertEquals(surefire.toRealPath() + "\n", text(record.resolve("fork1/dir")));
        assertEquals("tc.0=a.B\n", text(record.resolve("fork1/files/surefire1tmp")));
        assertTrue(text(record.resolve("fork1/env")).contains("ODD=line one\nline two\0"));
    }

    @Test
    @DisabledOnOs(value = OS.WINDOWS, disabledReason = "the recorder is a shell script")
    void leavesQuestionsAboutModulesToTheRealJava() throws Exception {
        Path fake = FakeJdk.create(temp, System.getProperty("java.home") + "/bin/java", "3.2.5");
        Process process = new ProcessBuilder(fake.toString(), "-version").redirectErrorStream(true).start();
        byte[] said = new byte[256];
        int length = process.getInputStream().read(said);
        assertEquals(0, process.waitFor());
        assertTrue(new String(said, 0, length, StandardCharsets.UTF_8).contains("version"));
        assertTrue(Files.notExists(temp.resolve("fork1")));
    }

    private static String text(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    }
}
