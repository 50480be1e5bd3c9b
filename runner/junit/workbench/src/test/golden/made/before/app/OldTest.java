package app;

import junit.framework.TestCase;

public class OldTest extends TestCase {
  public void testOne() {
    assertNotNull(Registry.getInstance());
  }
}
