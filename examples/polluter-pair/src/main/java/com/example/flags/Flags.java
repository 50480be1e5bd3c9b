package com.example.flags;

import java.util.HashSet;
import java.util.Set;

/** Feature flags that are switched on while the program runs. */
public final class Flags {

    private static final Set<String> ON = new HashSet<>();

    private Flags() {
    }

    public static void enable(String flag) {
        ON.add(flag);
    }

    public static boolean isOn(String flag) {
        return ON.contains(flag);
    }

    public static void clear() {
        ON.clear();
    }
}
