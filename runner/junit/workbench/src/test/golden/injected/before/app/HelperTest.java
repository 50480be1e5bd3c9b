package app;

import static org.junit.Assert.assertTrue;

import container.Autowired;
import container.Runs;
import container.Store;
import org.junit.Test;

@Runs(Store.class)
public class HelperTest {
  @Autowired(required = true)
  private Store<String> store;

  @Test
  public void empties() {
    store.clear();
    assertTrue(store.empty());
  }
}
