package other;

import static other.Keys.SIZE;

import app.Registry;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class StaticTest {
  private static final String HOME = "app.home";
  private static final Object THING = "app.thing";

  @Test
  void sets() throws IOException {
    Registry.getInstance().load(HOME);
    System.setProperty(SIZE, "1");
    System.setProperty(HOME, "x" + THING);
    System.setProperty("app.unused", Keys.variable);
  }

  @Test
  void hides() throws IOException {
    Registry.getInstance().load(HOME);
    String SIZE = "another";
    System.setProperty(HOME, SIZE);
  }
}
