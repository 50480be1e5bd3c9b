package app;

import junit.framework.TestCase;

public class OldTest extends TestCase {
  @Override
  protected void setUp() throws Exception {
    super.setUp();
    Registry.getInstance().reset();
  }

  public void testOne() {
    assertNotNull(Registry.getInstance());
  }
}
