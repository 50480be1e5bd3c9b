package com.example.shop;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.Map;

import org.junit.Test;

public class CatalogueImportTest {

    @Test
    public void readsThePriceListOfAGermanSupplier() {
        Settings.set(Settings.DECIMAL_SEPARATOR, ",");

        Map<String, Long> prices = CatalogueImport.read("Kaffee;3,50\nTee;2,80\n");

        assertEquals(Long.valueOf(350), prices.get("Kaffee"));
        assertEquals(Long.valueOf(280), prices.get("Tee"));
    }

    @Test
    public void ignoresCommentsAndBlankLines() {
        assertTrue(CatalogueImport.read("# spring list\n\n").isEmpty());
    }

    @Test
    public void readsWholePrices() {
        assertEquals(Long.valueOf(1200), CatalogueImport.read("Kettle;12").get("Kettle"));
    }
}
