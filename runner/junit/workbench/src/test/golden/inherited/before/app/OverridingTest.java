package app;

import org.junit.Test;

public class OverridingTest extends StoreCase {
  @Override
  protected void fill() {
    getStore().append("own");
  }

  @Test
  public void victim() {
    getStore();
  }
}
