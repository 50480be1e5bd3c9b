package com.example.cli;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class OptionsTest {

    @Test
    public void verboseTellsMore() {
        assertEquals("done, in 3 steps", CommandLine.answer("sweep", "-v"));
    }

    @Test
    public void quietTellsLess() {
        CommandLine.beQuiet();

        assertEquals("done", CommandLine.answer("sweep", "-q"));
    }
}
