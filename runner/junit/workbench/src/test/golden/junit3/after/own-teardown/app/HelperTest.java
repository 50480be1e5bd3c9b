package app;

public class HelperTest extends BaseCase {
  private Registry mine;

  protected void setUp() throws Exception {
    super.setUp();
    mine = shared;
    mine.add("mine");
  }

  public void testCleans() throws Exception {
    mine.reset();
    assertFalse(mine.has("mine"));
    util("x");
  }

  protected void tearDown() throws Exception {
    mine.reset();
    mine = null;
    super.tearDown();
  }
}
