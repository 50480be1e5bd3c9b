package app;

import java.io.IOException;
import org.junit.Test;

/** Overrides nothing that open() uses. */
public class SiblingTest extends StoreCase {
  @Override
  protected void other() {
    getStore().append("own");
  }

  @Override
  protected void fill() {
    super.fill();
  }

  protected void fill(int times) {
    getStore().append(times);
  }

  @Test
  public void victim() throws IOException {
    getStore();
    open();
  }
}
