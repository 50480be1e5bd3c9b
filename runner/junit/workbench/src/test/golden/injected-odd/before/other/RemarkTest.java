package other;

import static other.Names.store;

import container.Runs;
import container.Store;
import org.junit.Test;

@Runs(Store.class)
public class RemarkTest { // one remark
  // This test stands first,
  // above all others.
  @Test
  public void victim() {
    store.length();
  }
}
