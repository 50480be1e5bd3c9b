package com.example.labels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LabelTest {

    @Test
    void germanWarehousesReadGerman() {
        System.setProperty("labels.language", "de");

        assertEquals("Gewicht 3 kg", Label.of(3).split(",")[0]);
    }

    @Test
    void glossyPaperIsNamed() {
        System.setProperty("labels.paper", "glossy");

        assertEquals("glossy", Label.of(3).split(", ")[1]);
    }

    @Test
    void plainAndEnglishUnlessChosen() {
        assertEquals("Weight 3 kg, plain", Label.of(3));
    }
}
