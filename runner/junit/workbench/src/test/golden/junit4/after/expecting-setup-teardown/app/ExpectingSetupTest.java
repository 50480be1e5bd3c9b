package app;

import org.junit.After;
import org.junit.Before;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.ExpectedException;

import static app.Constants.LIMIT;

public class ExpectingSetupTest {
  @Rule public ExpectedException thrown = ExpectedException.none();

  @Before
  public void expects() {
    thrown.expect(IllegalStateException.class);
  }

  @After
  public void cleanUpSharedState() {
    Registry.clear(LIMIT, 5L);
  }

  @Test
  public void victim() {
    Registry.getInstance().fail();
  }
}
