package com.example.tenant;

/** For whom the current request is served. */
public final class Tenant {

    private static String current = "public";

    private Tenant() {
    }

    public static String current() {
        return current;
    }

    public static void enter(String tenant) {
        current = tenant;
    }

    public static void leave() {
        current = "public";
    }
}
