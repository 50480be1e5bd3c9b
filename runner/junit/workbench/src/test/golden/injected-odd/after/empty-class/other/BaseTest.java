package other;

import container.Autowired;
import container.Store;
import org.junit.Before;
import org.junit.Test;

public abstract class BaseTest {
  @Autowired
  private Runnable own;

  @Autowired(
      required = true)
  private Store<String> store;

  @Before
  public void prepareSharedState() {
    store.clear();
  }

  @Test
  public void victim() {
    own.run();
  }
}
