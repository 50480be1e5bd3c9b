package app;

import static org.junit.Assert.assertTrue;

import container.Autowired;
import container.Runs;
import container.Store;
import org.junit.Test;

@Runs(Store.class)
@SuppressWarnings("unused")
public class HelperTest {
  @Autowired(
      required = true)
  private Store<String> store;

  @Autowired
  private Runnable left, right;

  @Test
  public void empties() {
    store.clear();
    assertTrue(store.empty());
  }

  @Test
  public void fills() {
    for (String shelf : new String[] {"a"}) {
      store.put(shelf);
    }
    right.run();
  }
}
