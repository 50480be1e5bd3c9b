package app;

import static org.junit.Assert.assertNotNull;

import java.io.IOException;
import org.junit.Test;

public class HelperTest extends StoreCase {
  @Test
  public void reads() {
    String text = getStore().toString();
    assertNotNull(text);
  }

  public void restoreSharedState() throws IOException {
    if (io.odfix.harness.Switch.on(0)) {
      open();
    }
    String text;
    if (io.odfix.harness.Switch.on(1)) {
      text = getStore().toString();
    } else {
      text = null;
    }
    if (io.odfix.harness.Switch.on(2)) {
      assertNotNull(text);
    }
  }
}
