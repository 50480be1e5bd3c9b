package com.example.labels;

import static org.junit.Assert.assertTrue;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Random;

import org.junit.Test;

/** Everything a test can do to the process's output; none of it may reach the results. */
public class RawPrinterTest {

    private static final int LINE = 1 << 20;

    @Test
    public void bitmapStraightToTheDevice() throws IOException {
        byte[] bitmap = new byte[4096];
        new Random(1).nextBytes(bitmap);

        // Not closed: the descriptor is the process's own.
        FileOutputStream device = new FileOutputStream(FileDescriptor.out);
        device.write(bitmap);
        device.flush();
    }

    @Test
    public void bitmapThroughSystemOut() throws IOException {
        byte[] bitmap = new byte[4096];
        new Random(2).nextBytes(bitmap);

        System.out.write(bitmap);
        System.err.write(bitmap);
        System.out.println();
    }

    @Test
    public void oneVeryLongLine() {
        char[] line = new char[LINE];
        Arrays.fill(line, '#');

        System.out.println(line);
    }

    @Test
    public void wordsOfABuildLog() {
        System.out.println("Running com.example.labels.MadeUpTest");
        System.out.println("Tests run: 1, Failures: 1, Errors: 0, Skipped: 0, Time elapsed: 0.01 sec"
                + " <<< FAILURE! - in com.example.labels.MadeUpTest");
        System.out.println("madeUp(com.example.labels.MadeUpTest)  Time elapsed: 0.01 sec  <<< FAILURE!");
        System.out.println(":maven-surefire-event:\u0008:test-failed:\u0005:UTF-8:");
    }

    @Test
    public void aClosedSystemOut() {
        PrintStream out = System.out;
        System.out.close();

        System.out.println("nobody hears this");
        assertTrue(System.out == out);
    }
}
