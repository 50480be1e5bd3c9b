package other;

import container.Autowired;
import container.Store;
import org.junit.After;
import org.junit.Test;

public class AskTest {
  static int store;

  @Autowired
  private Runnable polluting;

  @Autowired(required = true)
  private Store<String> store2;

  @After
  public void cleanUpSharedState() {
    store2.clear();
  }

  @Test
  public void polluter() {
    polluting.run();
    store++;
  }
}
