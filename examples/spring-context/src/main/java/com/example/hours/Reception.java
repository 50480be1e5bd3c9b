package com.example.hours;

/** Open from eight to ten at night. */
public class Reception {
    private final int closingHour;

    public Reception(int closingHour) {
        this.closingHour = closingHour;
    }

    public boolean isOpen() {
        int hour = TimeSource.now().getHour();
        return hour >= 8 && hour < closingHour;
    }

    public int closingHour() {
        return closingHour;
    }
}
