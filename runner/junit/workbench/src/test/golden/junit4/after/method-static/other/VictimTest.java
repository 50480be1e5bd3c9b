package other;

import static org.junit.Assert.assertFalse;

import app.HelperTest;
import app.Registry;
import org.junit.Before;
import org.junit.Test;

public class VictimTest {

  @Before
  public void prepareSharedState() {
    HelperTest.clearRegistry();
  }

  @Test
  public void victim() {
    String request = "a";
    assertFalse(Registry.getInstance().has(request));
  }

  @Test public void oneLine() { assertFalse(Registry.getInstance().has("a")); }

  @Test public void empty() {}

  @Test(expected = IllegalStateException.class)
  public void ends() {
    // what it says
    Registry.getInstance().add("a");

    Registry.getInstance().fail();
  }
}
