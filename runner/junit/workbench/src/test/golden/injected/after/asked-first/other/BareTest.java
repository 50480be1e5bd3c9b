package other;

import static org.junit.Assert.assertEquals;

import container.Autowired;
import container.Runs;
import container.Store;
import org.junit.Test;

@Runs(Store.class)
public class BareTest {
  @Autowired(required = true)
  private Store<String> store;

  // The first of all tests.
  @Test
  public void victim() {
    store.clear();
    assertEquals(1, 1);
  }
}
