package com.example.cli;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class AnswerTest {

    @Test
    public void isShortUnlessAskedOtherwise() {
        assertEquals("done", CommandLine.answer("sweep"));
    }
}
