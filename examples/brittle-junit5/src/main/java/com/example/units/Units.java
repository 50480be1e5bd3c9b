package com.example.units;

import java.util.Map;
import java.util.TreeMap;

/** The units of length that the program knows, each with its length in metres. */
public final class Units {

    private static final Map<String, Double> METRES = new TreeMap<>();

    private Units() {
    }

    public static void register(String unit, double metres) {
        METRES.put(unit, metres);
    }

    /** Units that every installation has. */
    public static void loadStandard() {
        register("m", 1);
        register("km", 1000);
        register("mi", 1609.344);
    }

    public static double convert(double amount, String from, String to) {
        return amount * metres(from) / metres(to);
    }

    private static double metres(String unit) {
        Double metres = METRES.get(unit);
        if (metres == null) {
            throw new IllegalArgumentException("unknown unit " + unit);
        }
        return metres;
    }
}
