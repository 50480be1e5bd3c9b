package io.odfix.samples.junit4;

import io.odfix.samples.Tape;
import org.junit.Test;
import org.junit.runner.RunWith;
import org.junit.runners.Parameterized;
import org.powermock.core.classloader.annotations.PrepareForTest;
import org.powermock.modules.junit4.PowerMockRunner;
import org.powermock.modules.junit4.PowerMockRunnerDelegate;

/**
 * PowerMock gives a method with preparations of its own a chunk, and a class loader, of its own.
 */
@RunWith(PowerMockRunner.class)
public class Powered {
    @Test
    public void a() {
        Tape.say("a");
    }

    @Test
    @PrepareForTest(Prepared.class)
    public void b() {
        Tape.say("b in another loader " + (Powered.class.getClassLoader() == Prepared.class.getClassLoader()));
    }

    @Test
    public void c() {
        Tape.say("c");
    }

    public static class Prepared {}

    @RunWith(PowerMockRunner.class)
    @PowerMockRunnerDelegate(Parameterized.class)
    public static class Delegated {
        @Parameterized.Parameter
        public String value;

        @Parameterized.Parameters
        public static Object[] values() {
            return new Object[] {"x", "y"};
        }

        @Test
        public void m() {
            Tape.say("m " + value);
        }

        @Test
        public void n() {
            Tape.say("n " + value);
        }
    }
}
