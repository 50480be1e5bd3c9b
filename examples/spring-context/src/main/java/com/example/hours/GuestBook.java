package com.example.hours;

import java.util.ArrayList;
import java.util.List;

/** Who is in the house. One for all of a context, and so for all tests that share it. */
public class GuestBook {
    private final List<String> guests = new ArrayList<>();

    public void checkIn(String guest) {
        guests.add(guest);
    }

    public void checkOutAll() {
        guests.clear();
    }

    public int count() {
        return guests.size();
    }
}
