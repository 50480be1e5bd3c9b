package com.example.cli;

import org.junit.Test;

public class UsageTest {

    /** Takes the whole test JVM with it. */
    @Test
    public void sayingNothingShowsTheUsage() {
        CommandLine.main(new String[0]);
    }
}
