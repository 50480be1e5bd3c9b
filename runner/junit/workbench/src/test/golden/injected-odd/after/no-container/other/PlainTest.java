package other;

import container.Store;
import org.junit.Before;
import org.junit.Test;

@SuppressWarnings("unused")
public class PlainTest {
  @Before
  public void prepareSharedState() {
    Store<String> store = null;
    store.clear();
  }

  @Test
  public void victim() {}
}
