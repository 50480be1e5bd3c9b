package app;

import org.junit.Before;
import org.junit.Test;

public class PlaceTest {
  @Before
  public void resetSharedState() throws Exception {
    new SwitchesTest().restoreSharedState();
  }

  @Test
  public void place() {
    int a = 3;
    Registry.getInstance().add("a" + a);
  }
}
