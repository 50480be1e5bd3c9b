package com.example.labels;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class LabelTest {

    @Test
    public void hasTwoDecimals() {
        assertEquals("bread 1.20", Label.of("bread", 1.2));
    }
}
