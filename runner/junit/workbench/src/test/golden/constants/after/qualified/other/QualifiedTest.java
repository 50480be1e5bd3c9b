package other;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class QualifiedTest {
  @BeforeEach
  void prepareSharedState() {
    System.setProperty(Keys.SIZE, "0");
  }

  @Test
  void sets() {
    System.setProperty(Keys.SIZE, "1");
  }

  @Test
  void more() {
  }
}
