package other;

import static other.Names.store;

import container.Autowired;
import container.Runs;
import container.Store;
import org.junit.Before;
import org.junit.Test;

@Runs(Store.class)
public class RemarkTest { // one remark
  @Autowired(
      required = true)
  private Store<String> store2;

  @Before
  public void prepareSharedState() {
    store2.clear();
    for (String shelf : new String[] {"a"}) {
      store2.put(shelf);
    }
  }

  // This test stands first,
  // above all others.
  @Test
  public void victim() {
    store.length();
  }
}
