package com.example.i18n;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** Texts by language; the language is the whole program's. */
public final class Translations {

    private static final Map<String, String> GERMAN = new HashMap<>();

    private static Locale language = Locale.ENGLISH;

    static {
        GERMAN.put("Hello", "Guten Tag");
        GERMAN.put("Yours", "Ihre");
    }

    private Translations() {
    }

    public static void speak(Locale locale) {
        language = locale;
    }

    public static void speakEnglish() {
        language = Locale.ENGLISH;
    }

    public static String text(String english) {
        return language.equals(Locale.GERMAN) ? GERMAN.getOrDefault(english, english) : english;
    }
}
