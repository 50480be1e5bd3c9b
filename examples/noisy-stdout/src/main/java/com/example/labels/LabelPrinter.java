package com.example.labels;

import java.io.PrintStream;
import java.util.Arrays;

/** Sends labels to a printer that is fed through standard output. */
public final class LabelPrinter {

    private static String margin = "";

    private LabelPrinter() {
    }

    public static void indent(int columns) {
        char[] blanks = new char[columns];
        Arrays.fill(blanks, ' ');
        margin = new String(blanks);
    }

    public static String label(String text) {
        return margin + "[" + text + "]";
    }

    public static void print(PrintStream printer, String text) {
        printer.println(label(text));
    }
}
