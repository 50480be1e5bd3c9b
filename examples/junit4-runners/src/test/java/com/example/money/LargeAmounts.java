package com.example.money;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** Run by {@link RegressionSuiteTest}; its name keeps Surefire away. */
public class LargeAmounts {

    @Test
    public void millionsKeepTheirCents() {
        assertEquals("12345678.90", Money.cents("12345678.9"));
    }
}
