package com.example.weather;

/** Something that measures. */
public interface Thermometer {

    double celsius();
}
