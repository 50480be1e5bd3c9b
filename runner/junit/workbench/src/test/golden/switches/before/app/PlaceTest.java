package app;

import org.junit.Test;

public class PlaceTest {
  @Test
  public void place() {
    int a = 3;
    Registry.getInstance().add("a" + a);
  }
}
