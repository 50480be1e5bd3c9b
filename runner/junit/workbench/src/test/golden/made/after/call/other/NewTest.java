package other;

import app.Registry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NewTest {
  private int n;

  @AfterEach
  void count() {
    n++;
  }

  @Test
  void one() {
    try {
      if (n > 0) {
        return;
      }
      System.setOut(null);
    } finally {
      Registry.getInstance().reset();
    }
  }
}
