package io.odfix.samples.junit3;

import io.odfix.samples.Tape;
import junit.framework.TestCase;

public class ThreeAgain extends TestCase {
    public void testD() {
        Tape.say("D");
    }

    public void testE() {
        Tape.say("E");
    }
}
