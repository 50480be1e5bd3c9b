package other;

import org.junit.Test;

public class VictimTest {
  @Test
  public void victim() {
  }
}
