package io.odfix.samples.junit4;

import io.odfix.samples.Tape;
import java.util.Arrays;
import java.util.Collection;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.junit.runners.Parameterized.Parameters;

@RunWith(Parameterized.class)
public class Params {
    private final String value;

    public Params(String value) {
        this.value = value;
    }

    @Parameters
    public static Collection<Object[]> values() {
        if (System.getProperty("params.broken") != null) {
            throw new IllegalStateException("no parameters");
        }
        return Arrays.asList(new Object[] {"x"}, new Object[] {"y"});
    }

    @Test
    public void m() {
        Tape.say("m " + value);
    }

    @Test
    public void n() {
        Tape.say("n " + value);
    }

    /** Breaks the class for whoever makes its runner later in the same JVM. */
    public static class Breaker {
        @Test
        public void breaks() {
            System.setProperty("params.broken", "yes");
        }
    }
}
