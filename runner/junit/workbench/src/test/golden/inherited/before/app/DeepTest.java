package app;

import org.junit.Test;

/** Its fill() is that of DeepCase. */
public class DeepTest extends DeepCase {
  @Override
  protected void fill() {
    super.fill();
  }

  @Test
  public void victim() {
    getStore();
  }
}
