package com.example.shop;

import java.util.LinkedHashMap;
import java.util.Map;

/** Reads a supplier's price list: one "name;price" a line, '#' begins a comment. */
public final class CatalogueImport {

    private CatalogueImport() {
    }

    /** Prices in cents by name, written with the decimal separator of the settings. */
    public static Map<String, Long> read(String list) {
        Map<String, Long> prices = new LinkedHashMap<>();
        for (String line : list.split("\n")) {
            if (line.trim().isEmpty() || line.startsWith("#")) {
                continue;
            }
            String[] cells = line.split(";");
            prices.put(cells[0], cents(cells[1]));
        }
        return prices;
    }

    private static long cents(String price) {
        int at = price.indexOf(Settings.get(Settings.DECIMAL_SEPARATOR));
        if (at < 0) {
            return Long.parseLong(price) * 100;
        }
        return Long.parseLong(price.substring(0, at)) * 100 + Long.parseLong(price.substring(at + 1));
    }
}
