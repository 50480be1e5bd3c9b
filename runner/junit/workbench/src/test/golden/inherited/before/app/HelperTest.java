package app;

import static org.junit.Assert.assertNotNull;

import org.junit.Test;

public class HelperTest extends StoreCase {
  @Test
  public void reads() {
    String text = getStore().toString();
    assertNotNull(text);
  }
}
