package app;

import org.junit.Test;

public class HeirTest extends HelperTest {
  @Override
  protected void fill() {
    getStore().append("own");
  }

  @Test
  public void victim() {
    getStore();
  }
}
