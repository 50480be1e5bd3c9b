package com.example.fares;

/** What a journey costs. The season is that of the whole program. */
public final class Fares {
    private static int percent = 100;

    private Fares() {}

    /** All journeys cost so many percent of the usual price, until the season ends. */
    public static void beginSeason(int ofTheUsualPrice) {
        percent = ofTheUsualPrice;
    }

    public static void resetSeason() {
        percent = 100;
    }

    /** The price of a journey in cents. */
    public static int of(int kilometres) {
        return (200 + 12 * kilometres) * percent / 100;
    }
}
