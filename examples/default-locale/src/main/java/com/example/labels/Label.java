package com.example.labels;

/** The label on a shelf. */
public final class Label {

    private Label() {
    }

    public static String of(String what, double price) {
        return String.format("%s %.2f", what, price);
    }
}
