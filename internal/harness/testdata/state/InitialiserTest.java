package state;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

/** A class keeps what it finds when it is initialised, and no field of it changes after that. */
public class InitialiserTest {
    private static final class Keeper {
        static final String MODE = System.getProperty("state.initialiser", "plain");
    }

    @Test
    public void needsItFirst() {
        System.setProperty("state.initialiser", "odd");
        try {
            assertEquals(System.getProperty("state.initialiser").isEmpty(), Keeper.MODE.isEmpty());
        } finally {
            System.clearProperty("state.initialiser");
        }
    }

    @Test
    public void wantsPlain() {
        assertEquals("plain", Keeper.MODE);
    }
}
