package other;

import container.Autowired;
import container.Store;
import org.junit.After;
import org.junit.Test;

import static org.junit.Assert.assertTrue;

public class AskTest {
  static int store;

  @Autowired
  private Runnable polluting;

  @Autowired(required = true)
  private Store<String> store2;

  @After
  public void cleanUpSharedState() {
    if (io.odfix.harness.Switch.on(0)) {
      store2.clear();
    }
    if (io.odfix.harness.Switch.on(1)) {
      assertTrue(store2.empty());
    }
  }

  @Test
  public void polluter() {
    polluting.run();
    store++;
  }
}
