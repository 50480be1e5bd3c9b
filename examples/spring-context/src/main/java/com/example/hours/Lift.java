package com.example.hours;

/** Where the lift waits. It only goes where somebody sends it. */
public class Lift {
    private int floor;

    public void up(int floors) {
        floor += floors;
    }

    public int floor() {
        return floor;
    }
}
