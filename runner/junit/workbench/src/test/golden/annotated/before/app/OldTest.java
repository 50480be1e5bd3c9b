package app;

import org.junit.Test;

public class OldTest {
    @Test
    public void one() {
    }
}
