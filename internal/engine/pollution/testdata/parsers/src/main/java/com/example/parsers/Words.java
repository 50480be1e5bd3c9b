package com.example.parsers;

import java.util.HashMap;
import java.util.Map;

/** A table that is made when somebody first asks. */
public final class Words {
    private static Map<String, String> table;

    private Words() {}

    public static String of(String key) {
        if (table == null) {
            Map<String, String> made = new HashMap<>();
            made.put("one", "1");
            table = made;
        }
        return table.get(key);
    }
}
