package io.odfix.samples.junit4;

import io.odfix.samples.Tape;
import org.junit.Test;
import org.junit.experimental.runners.Enclosed;
import org.junit.runner.RunWith;

@RunWith(Enclosed.class)
public class Outer {
    public static class One {
        @Test
        public void p() {
            Tape.say("p");
        }

        @Test
        public void q() {
            Tape.say("q");
        }
    }

    public static class Two {
        @Test
        public void r() {
            Tape.say("r");
        }
    }
}
