package com.example.shop;

/** The currency prices are shown in, for the whole process. */
public final class Currency {

    private static String sign = "EUR";

    private Currency() {
    }

    public static void use(String other) {
        sign = other;
    }

    /** Brings back the shop's own currency. */
    public static void useOwn() {
        sign = "EUR";
    }

    public static String show(int amount) {
        return amount + " " + sign;
    }
}
