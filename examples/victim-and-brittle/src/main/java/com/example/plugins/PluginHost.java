package com.example.plugins;

import java.util.HashMap;
import java.util.Map;

/** Plug-ins by the file type they open. */
public final class PluginHost {

    private static final Map<String, String> OPENERS = new HashMap<>();

    private PluginHost() {
    }

    public static void install(String fileType, String plugin) {
        OPENERS.put(fileType, plugin);
    }

    public static void installStandard() {
        install("txt", "editor");
        install("png", "viewer");
    }

    public static String openerOf(String fileType) {
        return OPENERS.get(fileType);
    }
}
