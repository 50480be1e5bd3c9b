package other;

import container.Autowired;
import org.junit.Test;

public abstract class BaseTest {
  @Autowired
  private Runnable own;

  @Test
  public void victim() {
    own.run();
  }
}
