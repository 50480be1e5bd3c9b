package app;

import junit.framework.TestCase;
import org.junit.Before;
import org.junit.Test;

public class NamedTest extends TestCase {
  private int n;

  public NamedTest(String name) {
    super(name);
  }

  @Override
  protected void setUp() throws Exception {
    super.setUp();
    own();
  }

  @Before
  public void ignored() {
    Registry.getInstance().add("never run");
  }

  @Test
  public void testOwn() {
    own();
  }

  private void own() {
    n++;
    Registry.getInstance().reset();
  }
}
