package io.odfix.samples.junit3;

import io.odfix.samples.Tape;
import junit.framework.Test;
import junit.framework.TestCase;
import junit.framework.TestSuite;

/** A suite() that chooses an order, and runs a test again. */
public class ThreeChosenSuite extends TestCase {
    public static Test suite() {
        TestSuite chosen = new TestSuite(ThreeChosenSuite.class);
        chosen.addTest(TestSuite.createTest(ThreeChosenSuite.class, "testF"));
        return chosen;
    }

    public void testF() {
        Tape.say("F");
    }

    public void testG() {
        Tape.say("G");
    }
}
