package com.example.plugins;

import static org.junit.Assert.assertNotNull;

import org.junit.Test;

public class InstallTest {

    @Test
    public void theStandardPluginsOpenText() {
        PluginHost.installStandard();

        assertNotNull(PluginHost.openerOf("txt"));
    }
}
