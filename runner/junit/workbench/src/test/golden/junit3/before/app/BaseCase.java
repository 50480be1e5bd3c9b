package app;

import junit.framework.TestCase;

public abstract class BaseCase extends TestCase {
  protected Registry shared;

  protected void setUp() throws Exception {
    super.setUp();
    shared = Registry.getInstance();
  }

  protected static void util(String s) {
    Registry.getInstance().add(s);
  }

  public void testInherited() {
    assertNotNull(shared);
  }
}
