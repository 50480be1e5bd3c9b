package io.odfix.samples.junit3;

import io.odfix.samples.Tape;
import junit.framework.TestCase;

public class Three extends TestCase {
    public void testA() {
        Tape.say("A");
    }

    public void testB() {
        Tape.say("B");
        fail("b is broken");
    }

    public void testC() {
        Tape.say("C");
    }
}
