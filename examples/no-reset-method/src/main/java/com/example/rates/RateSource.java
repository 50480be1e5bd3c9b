package com.example.rates;

/** Knows what a unit of a currency is worth. */
public interface RateSource {

    double rate(String currency);
}
