package app;

import org.junit.After;
import org.junit.Before;
import org.junit.Test;

public abstract class BaseCase {
  protected final StringBuilder log = new StringBuilder();

  @Before
  public void prepareSharedState() {
    System.clearProperty("mode");
  }

  @After
  public void closes() {
    log.setLength(0);
  }

  @Test
  public void pollutes() {
    System.setProperty("mode", "fast");
  }
}
