package third;

import org.junit.Test;

public class FarTest {
  @Test
  public void victim() {
    int box = 1;
  }
}
