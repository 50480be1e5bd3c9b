package com.example.labels;

/** A label on a parcel. The warehouse chooses its language and its paper. */
public final class Label {

    private Label() {}

    public static String of(int kilograms) {
        String language = System.getProperty("labels.language", "en");
        String paper = System.getProperty("labels.paper", "plain");
        return ("de".equals(language) ? "Gewicht " : "Weight ") + kilograms + " kg, " + paper;
    }
}
