package com.example.shop;

import java.util.HashMap;
import java.util.Map;

/** The shop's settings, one set for the whole process. */
public final class Settings {

    public static final String DECIMAL_SEPARATOR = "decimal.separator";
    public static final String CURRENCY = "currency";

    private static final Map<String, String> VALUES = new HashMap<>();

    static {
        reset();
    }

    private Settings() {
    }

    public static String get(String key) {
        return VALUES.get(key);
    }

    public static void set(String key, String value) {
        VALUES.put(key, value);
    }

    /** Brings back what a freshly started shop has. */
    public static void reset() {
        VALUES.clear();
        VALUES.put(DECIMAL_SEPARATOR, ".");
        VALUES.put(CURRENCY, "EUR");
    }
}
