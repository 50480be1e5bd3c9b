package com.example.money;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** Run by {@link RegressionSuiteTest}; its name keeps Surefire away. */
public class Refunds {

    @Test
    public void aNegativeHalfIsEvenToo() {
        assertEquals("-0.12", Money.cents("-0.125"));
    }
}
