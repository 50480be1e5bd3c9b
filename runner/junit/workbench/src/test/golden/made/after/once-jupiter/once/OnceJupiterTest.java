package once;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class OnceJupiterTest {

    @BeforeAll
    static void begin() {
        System.setProperty("once", "yes");
    }

    @AfterAll
    static void end() {
        System.gc();
        System.clearProperty("once");
    }

    @Test
    void one() {
    }
}
