package app;

import org.junit.Test;

public class UpperOverridingTest extends UpperCase {
  @Override
  protected void fill() {
    getName();
  }

  @Test
  public void victim() {
    getName();
    new UpperTest().start();
  }
}
