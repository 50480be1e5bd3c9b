package com.example.shop;

/** What the customer takes home. */
public final class Receipt {

    private int items;
    private long cents;

    public void add(long priceInCents) {
        items++;
        cents += priceInCents;
    }

    public int items() {
        return items;
    }

    public String total() {
        return String.format("%d%s%02d %s", cents / 100, Settings.get(Settings.DECIMAL_SEPARATOR),
                cents % 100, Settings.get(Settings.CURRENCY));
    }
}
