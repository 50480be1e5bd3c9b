package app;

import static org.junit.Assert.assertTrue;

import container.Autowired;
import org.junit.Before;
import org.junit.Test;

public class TwinTest {
  @Autowired(required = true)
  private container.Store<Integer> other;

  @Autowired(required = true)
  private container.Store<String> shelf;

  @Before
  public void prepareSharedState() {
    shelf.clear();
  }

  @Test
  public void victim() {
    assertTrue(shelf.empty());
  }

  @Test
  public void shadows() {
    String shelf = "mine";
    this.shelf.put(shelf);
    other.put(1);
  }
}
