package io.odfix.samples.junit4;

import io.odfix.samples.Tape;
import junit.framework.JUnit4TestAdapter;
import org.junit.Test;

/** A JUnit 4 class that old tools can run, too. */
public class Adapted {
    public static junit.framework.Test suite() {
        return new JUnit4TestAdapter(Adapted.class);
    }

    @Test
    public void a() {
        Tape.say("a");
    }

    @Test
    public void b() {
        Tape.say("b");
    }
}
