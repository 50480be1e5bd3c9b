package app;

import org.junit.Before;
import org.junit.Test;

public class TwoSetupsTest {
    @Before
    public void first() {
        Registry.getInstance();
    }

    @Before
    public void second() {
        Registry.getInstance();
    }

    @Test
    public void victim() {
    }

    public static class Inheriting extends TwoSetupsTest {
        @Test
        public void other() {
        }
    }
}
