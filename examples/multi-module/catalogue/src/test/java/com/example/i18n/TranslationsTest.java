package com.example.i18n;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class TranslationsTest {

    @Test
    public void unknownTextsStayEnglish() {
        assertEquals("Lighthouse", Translations.text("Lighthouse"));
    }
}
