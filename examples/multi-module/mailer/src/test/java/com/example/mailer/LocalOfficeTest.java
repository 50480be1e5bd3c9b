package com.example.mailer;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

import com.example.i18n.Translations;

public class LocalOfficeTest {

    @Test
    public void speaksEnglish() {
        Translations.speakEnglish();

        assertEquals("Yours", Translations.text("Yours"));
    }
}
