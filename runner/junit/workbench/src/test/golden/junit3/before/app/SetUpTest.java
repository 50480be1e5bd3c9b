package app;

public class SetUpTest extends BaseCase {
    @Override
    protected void setUp() throws Exception {
        super.setUp();
        shared.add("b");
    }

    public void testVictim() {
        assertTrue(shared.has("b"));
    }

    @Override
    protected void tearDown() {
        shared = null; }
}
