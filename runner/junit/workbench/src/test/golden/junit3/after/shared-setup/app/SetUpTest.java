package app;

public class SetUpTest extends BaseCase {
    @Override
    protected void setUp() throws Exception {
        super.setUp();
        shared.add("b");
        shared.reset();
        util("x");
    }

    public void testVictim() {
        assertTrue(shared.has("b"));
    }

    @Override
    protected void tearDown() {
        shared = null; }
}
