package app;

public class SetUpTest extends BaseCase {
    @Override
    protected void setUp() throws Exception {
        super.setUp();
        shared.add("b");
    }

    public void testVictim() throws Exception {
        Registry mine = null;
        if (io.odfix.harness.Switch.on(2)) {
            shared = Registry.getInstance();
        }
        if (io.odfix.harness.Switch.on(3)) {
            mine = shared;
        }
        if (io.odfix.harness.Switch.on(4)) {
            mine.add("mine");
        }
        if (io.odfix.harness.Switch.on(5)) {
            mine.reset();
        }
        if (io.odfix.harness.Switch.on(6)) {
            assertFalse(mine.has("mine"));
        }
        if (io.odfix.harness.Switch.on(7)) {
            util("x");
        }
        if (io.odfix.harness.Switch.on(8)) {
            mine = null;
        }
        assertTrue(shared.has("b"));
    }

    @Override
    protected void tearDown() {
        shared = null; }
}
