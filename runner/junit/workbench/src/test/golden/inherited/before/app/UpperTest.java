package app;

import org.junit.Test;

public class UpperTest extends UpperCase {
  @Test
  public void reads() {
    getName();
  }
}
