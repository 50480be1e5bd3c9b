package app;

import org.junit.Before;
import org.junit.Test;

public class PlaceTest {
  @Before
  public void prepareSharedState() throws Exception {
    new SwitchesTest().restoreSharedState();
  }

  @Test
  public void place() {
    int a = 3;
    Registry.getInstance().add("a" + a);
  }
}
