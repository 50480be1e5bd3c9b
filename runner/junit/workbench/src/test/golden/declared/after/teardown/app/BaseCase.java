package app;

import org.junit.After;
import org.junit.Test;

public abstract class BaseCase {
  protected final StringBuilder log = new StringBuilder();

  @After
  public void closes() {
    log.setLength(0);
    System.clearProperty("mode");
  }

  @Test
  public void pollutes() {
    System.setProperty("mode", "fast");
  }
}
