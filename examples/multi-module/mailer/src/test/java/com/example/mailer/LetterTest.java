package com.example.mailer;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import org.junit.Test;

public class LetterTest {

    @Test
    public void greetsByName() {
        assertEquals("Hello Ada", Letter.greeting("Ada"));
    }

    @Test
    public void theNameStandsLast() {
        assertTrue(Letter.greeting("Ada").endsWith(" Ada"));
    }
}
