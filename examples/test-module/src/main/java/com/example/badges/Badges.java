package com.example.badges;

import java.util.Set;
import java.util.TreeSet;

/** The badges that guests wear. */
public final class Badges {
    private static final Set<String> GUESTS = new TreeSet<>();

    private Badges() {}

    public static void issue(String guest) {
        GUESTS.add(guest);
    }

    public static Set<String> guests() {
        return Set.copyOf(GUESTS);
    }

    public static void returnAll() {
        GUESTS.clear();
    }
}
