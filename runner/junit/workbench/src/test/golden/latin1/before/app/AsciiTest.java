package app;

import org.junit.Test;

public class AsciiTest {
  @Test
  public void victim() {
  }
}
