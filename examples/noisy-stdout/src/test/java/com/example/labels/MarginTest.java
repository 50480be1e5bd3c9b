package com.example.labels;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class MarginTest {

    @Test
    public void noMarginAtAll() {
        LabelPrinter.indent(0);

        assertEquals("[x]", LabelPrinter.label("x"));
    }

    @Test
    public void wideMargin() {
        LabelPrinter.indent(4);

        assertEquals("    [x]", LabelPrinter.label("x"));
    }
}
