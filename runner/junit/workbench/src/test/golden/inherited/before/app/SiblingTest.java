package app;

import org.junit.Test;

public class SiblingTest extends StoreCase {
  @Test
  public void victim() {
    getStore();
  }
}
