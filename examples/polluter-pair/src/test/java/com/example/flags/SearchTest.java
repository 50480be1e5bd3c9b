package com.example.flags;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class SearchTest {

    @Test
    public void searchesByKeywordUnlessToldOtherwise() {
        assertEquals("keyword", new Search().engine());
    }
}
