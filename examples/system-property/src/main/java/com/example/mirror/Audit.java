package com.example.mirror;

import java.util.logging.Logger;

/** Tells the log of each download. */
public final class Audit {

    private static final Logger LOG = Logger.getLogger("mirror.audit");

    private Audit() {
    }

    public static void downloaded(String file) {
        LOG.info(file);
    }
}
