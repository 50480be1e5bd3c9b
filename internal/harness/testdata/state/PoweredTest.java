package state;

import static org.junit.Assert.assertNotSame;

import org.junit.Test;
import org.junit.runner.RunWith;
import org.powermock.core.classloader.annotations.PrepareForTest;
import org.powermock.modules.junit4.PowerMockRunner;

/** PowerMock loads the test, and what it is to change, by class loaders of its own. */
@RunWith(PowerMockRunner.class)
@PrepareForTest(PoweredTest.Prepared.class)
public class PoweredTest {
    static class Prepared {
        static String text = "prepared";
    }

    @Test
    public void isElsewhere() {
        assertNotSame(ClassLoader.getSystemClassLoader(), Prepared.class.getClassLoader());
        Prepared.text = null;
    }
}
