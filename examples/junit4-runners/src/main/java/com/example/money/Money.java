package com.example.money;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** Rounds amounts the way the whole program has agreed on. */
public final class Money {

    private static RoundingMode rounding = RoundingMode.HALF_EVEN;

    private Money() {
    }

    public static void roundWith(RoundingMode mode) {
        rounding = mode;
    }

    public static void roundAsUsual() {
        rounding = RoundingMode.HALF_EVEN;
    }

    public static String cents(String amount) {
        return new BigDecimal(amount).setScale(2, rounding).toPlainString();
    }
}
