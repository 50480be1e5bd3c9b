package other;

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
    if (n > 0) {
      return;
    }
    System.setOut(null);
  }
}
