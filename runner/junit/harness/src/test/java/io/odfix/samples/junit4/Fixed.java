package io.odfix.samples.junit4;

import io.odfix.samples.Tape;
import org.junit.FixMethodOrder;
import org.junit.Test;
import org.junit.runners.MethodSorters;

@FixMethodOrder(MethodSorters.NAME_ASCENDING)
public class Fixed {
    @Test
    public void first() {
        Tape.say("first");
    }

    @Test
    public void second() {
        Tape.say("second");
    }

    @Test
    public void third() {
        Tape.say("third");
    }
}
