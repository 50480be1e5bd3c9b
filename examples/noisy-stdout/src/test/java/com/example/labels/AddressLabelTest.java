package com.example.labels;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class AddressLabelTest {

    @Test
    public void beginsAtTheEdge() {
        LabelPrinter.print(System.out, "Ada");

        assertEquals("[Ada]", LabelPrinter.label("Ada"));
    }
}
