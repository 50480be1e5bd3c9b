package app;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class OtherTest {
  @Test
  public void looks() {
    assertEquals(0, OddTest.shared.size());
  }
}
