package other;

import container.Autowired;
import org.junit.Test;

public class AskTest {
  static int store;

  @Autowired
  private Runnable polluting;

  @Test
  public void polluter() {
    polluting.run();
    store++;
  }
}
