package com.example.mirror;

/** Where downloads come from: a system property names another host. */
public final class Mirror {

    private Mirror() {
    }

    public static String url(String file) {
        return "https://" + System.getProperty("downloads.host", "downloads.example.com") + "/" + file;
    }
}
