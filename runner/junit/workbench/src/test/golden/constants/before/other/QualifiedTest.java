package other;

import org.junit.jupiter.api.Test;

class QualifiedTest {
  @Test
  void sets() {
    System.setProperty(Keys.SIZE, "1");
  }

  @Test
  void more() {
  }
}
