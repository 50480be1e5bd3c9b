package io.odfix.samples.junit3;

import io.odfix.samples.Tape;
import junit.extensions.RepeatedTest;
import junit.extensions.TestSetup;
import junit.framework.Test;
import junit.framework.TestSuite;

/** A static suite() whose decorator must survive, holding one class twice. */
public class ThreeSuite {
    public static Test suite() {
        TestSuite all = new TestSuite("all");
        all.addTestSuite(Three.class);
        all.addTest(new TestSetup(new TestSuite(ThreeAgain.class)) {
            @Override
            protected void setUp() {
                Tape.say("setup");
            }

            @Override
            protected void tearDown() {
                Tape.say("teardown");
            }
        });
        all.addTestSuite(Three.class);
        ThreeAgain repeated = new ThreeAgain();
        repeated.setName("testD");
        all.addTest(new RepeatedTest(repeated, 2));
        return all;
    }
}
