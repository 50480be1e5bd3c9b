package io.odfix.samples.junit4;

import static org.junit.Assert.assertEquals;

import io.odfix.samples.Tape;
import junitparams.JUnitParamsRunner;
import junitparams.Parameters;
import org.junit.Test;
import org.junit.runner.RunWith;

/** Methods with several invocations, by JUnitParams. */
@RunWith(JUnitParamsRunner.class)
public class Invoked {
    @Test
    @Parameters({"1, one", "2, two"})
    public void p(int number, String name) {
        Tape.say("p " + name);
        assertEquals(1, number);
    }

    @Test
    public void plain() {
        Tape.say("plain");
    }

    @Test
    @Parameters({"x", "y"})
    public void q(String value) {
        Tape.say("q " + value);
    }
}
