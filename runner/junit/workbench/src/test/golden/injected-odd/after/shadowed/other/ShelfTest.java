package other;

import container.Autowired;
import container.Store;
import org.junit.Before;
import org.junit.Test;

public class ShelfTest {
  @Autowired(required = true)
  private Store<String> shelf; // of the house

  @Autowired
  Runnable left; /* one of two */

  @Autowired
  private Runnable right;

  @Before
  public void prepareSharedState() {
    for (String shelf2 : new String[] {"a"}) {
      shelf.put(shelf2);
    }
    right.run();
  }

  @Test
  public void victim() {
    shelf.clear();
  }
}
