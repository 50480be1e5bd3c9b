package app;

import java.awt.List;
import org.junit.Test;

public class CrowdedTest {
  static class Map {}

  static class Tool {}

  static void tool(Object o) {}

  @Test
  public void victim() {
    List names = null;
    Map e = new Map();
    tool(names + "" + e);
  }
}
