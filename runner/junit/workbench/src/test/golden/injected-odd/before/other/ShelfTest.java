package other;

import container.Autowired;
import container.Store;
import org.junit.Test;

public class ShelfTest {
  @Autowired(required = true)
  private Store<String> shelf; // of the house

  @Autowired
  Runnable left; /* one of two */

  @Test
  public void victim() {
    shelf.clear();
  }
}
