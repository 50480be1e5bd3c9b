package app;

import org.junit.After;

public class OverridingTest extends BaseCase {
  @Override
  public void closes() {
    log.append("closed");
  }

  @After
  public void cleanUpSharedState() {
  }
}
