package com.example.weather;

/** The weather station; its thermometer can be exchanged while it runs. */
public final class Station {

    private static final Thermometer BUILT_IN = () -> 20;

    private static Thermometer thermometer = BUILT_IN;

    private Station() {
    }

    public static void use(Thermometer other) {
        thermometer = other;
    }

    public static void useBuiltIn() {
        thermometer = BUILT_IN;
    }

    public static String report() {
        double celsius = thermometer.celsius();
        return celsius < 0 ? "frost" : celsius < 25 ? "mild" : "hot";
    }
}
