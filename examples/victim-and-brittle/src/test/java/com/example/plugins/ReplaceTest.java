package com.example.plugins;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class ReplaceTest {

    @Test
    public void aNewPluginTakesOver() {
        PluginHost.install("png", "painter");

        assertEquals("painter", PluginHost.openerOf("png"));
    }
}
