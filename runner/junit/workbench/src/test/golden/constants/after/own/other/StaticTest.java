package other;

import static other.Keys.SIZE;

import org.junit.jupiter.api.Test;

class StaticTest {
  private static final String HOME = "app.home";
  private static final Object THING = "app.thing";

  @Test
  void sets() {
    System.setProperty(SIZE, "1");
    System.setProperty(HOME, "x" + THING);
    System.setProperty("app.unused", Keys.variable);
    System.clearProperty(HOME);
  }

  @Test
  void hides() {
    String SIZE = "another";
    System.setProperty(HOME, SIZE);
  }
}
