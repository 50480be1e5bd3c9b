package app;

import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.ExpectedException;

public class ExpectingSetupTest {
  @Rule public ExpectedException thrown = ExpectedException.none();

  @Before
  public void expects() {
    thrown.expect(IllegalStateException.class);
  }

  @Test
  public void victim() {
    Registry.getInstance().fail();
  }
}
