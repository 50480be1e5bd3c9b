package orders;

import static org.junit.Assert.assertEquals;
import static org.junit.Assume.assumeTrue;

import org.junit.Ignore;
import org.junit.Test;

public class FourTest {
    @Test
    public void polluter() {
        Counter.value = 7;
    }

    @Test
    public void victim() {
        assertEquals("the counter begins at nought", 0, Counter.value);
    }

    @Test
    public void cleaner() {
        Counter.value = 0;
    }

    @Test
    public void assumes() {
        System.out.println("noise on standard output");
        assumeTrue(false);
    }

    @Ignore("to be reported as skipped")
    @Test
    public void ignored() {
    }
}
