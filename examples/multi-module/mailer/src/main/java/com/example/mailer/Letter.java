package com.example.mailer;

import com.example.i18n.Translations;

/** A letter to a customer. */
public final class Letter {

    private Letter() {
    }

    public static String greeting(String name) {
        return Translations.text("Hello") + " " + name;
    }
}
