package io.odfix.samples.junit3;

import junit.extensions.TestSetup;
import junit.framework.Test;
import junit.framework.TestSuite;

public class ThreeBadSetup {
    public static Test suite() {
        return new TestSetup(new TestSuite(ThreeAgain.class)) {
            @Override
            protected void setUp() {
                throw new IllegalStateException("no setup today");
            }
        };
    }
}
