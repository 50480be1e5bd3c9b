package com.example.money;

import static org.junit.Assert.assertEquals;

import java.util.Arrays;
import java.util.Collection;

import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

@RunWith(Parameterized.class)
public class RoundingTableTest {

    private final String amount;
    private final String rounded;

    public RoundingTableTest(String amount, String rounded) {
        this.amount = amount;
        this.rounded = rounded;
    }

    @Parameters
    public static Collection<Object[]> table() {
        return Arrays.asList(new Object[][] {
            {"1", "1.00"},
            {"2.345", "2.34"},
            {"2.346", "2.35"},
        });
    }

    @Test
    public void rounds() {
        assertEquals(rounded, Money.cents(amount));
    }
}
