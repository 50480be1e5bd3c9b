package io.odfix.samples.junit3;

import io.odfix.samples.Tape;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;

/** A suite() that returns what JUnit would run without it. */
public class ThreeOwnSuite extends TestCase {
    public static Test suite() {
        return new TestSuite(ThreeOwnSuite.class);
    }

    public void testF() {
        Tape.say("F");
    }

    public void testG() {
        Tape.say("G");
    }
}
