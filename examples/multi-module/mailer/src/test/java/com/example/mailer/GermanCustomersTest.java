package com.example.mailer;

import static org.junit.Assert.assertEquals;

import java.util.Locale;

import org.junit.Test;

import com.example.i18n.Translations;

public class GermanCustomersTest {

    @Test
    public void areGreetedInGerman() {
        Translations.speak(Locale.GERMAN);

        assertEquals("Guten Tag Frau Noether", Letter.greeting("Frau Noether"));
    }
}
