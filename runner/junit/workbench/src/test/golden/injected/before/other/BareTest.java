package other;

import static org.junit.Assert.assertEquals;

import container.Runs;
import container.Store;
import org.junit.Test;

@Runs(Store.class)
public class BareTest {
  // The first of all tests.
  @Test
  public void victim() {
    assertEquals(1, 1);
  }
}
