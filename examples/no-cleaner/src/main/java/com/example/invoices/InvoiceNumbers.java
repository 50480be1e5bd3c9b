package com.example.invoices;

/** Numbers that are never given twice; there is no way back. */
public final class InvoiceNumbers {

    private static int last;

    private InvoiceNumbers() {
    }

    public static String next() {
        return String.format("INV-%04d", ++last);
    }
}
