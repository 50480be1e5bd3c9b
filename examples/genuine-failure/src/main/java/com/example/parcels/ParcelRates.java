package com.example.parcels;

/** Postage by weight. */
public final class ParcelRates {

    private ParcelRates() {
    }

    /** In cents: up to 2 kg, up to 5 kg, and above. */
    public static int cents(int grams) {
        if (grams < 2000) { // the mistake: 2 kg exactly is still a small parcel
            return 499;
        }
        return grams <= 5000 ? 699 : 1049;
    }
}
