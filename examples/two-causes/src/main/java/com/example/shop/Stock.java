package com.example.shop;

import java.util.ArrayList;
import java.util.List;

/** What is in the shelves, for the whole process. */
public final class Stock {

    private static final List<String> SHELF = new ArrayList<>();

    private Stock() {
    }

    public static void deliver(String thing) {
        SHELF.add(thing);
    }

    public static int size() {
        return SHELF.size();
    }

    /** Clears the shelves for stocktaking. */
    public static void clear() {
        SHELF.clear();
    }
}
