package com.example.seats;

import java.util.TreeSet;

/** Which seats of tonight's performance are taken. */
public final class SeatMap {

    private static final TreeSet<String> TAKEN = new TreeSet<>();

    private SeatMap() {
    }

    public static void take(String row, int number) {
        if (!TAKEN.add(row + number)) {
            throw new IllegalStateException(row + number + " is taken");
        }
    }

    public static boolean isFree(String row, int number) {
        return !TAKEN.contains(row + number);
    }

    public static void free(String row, int number) {
        TAKEN.remove(row + number);
    }

    public static int taken() {
        return TAKEN.size();
    }

    public static void clear() {
        TAKEN.clear();
    }
}
