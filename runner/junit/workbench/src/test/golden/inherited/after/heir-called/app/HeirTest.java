package app;

import java.io.IOException;
import org.junit.Test;

public class HeirTest extends HelperTest {
  @Override
  protected void fill() {
    getStore().append("own");
  }

  @Test
  public void victim() throws IOException {
    getStore();
    new HelperTest().open();
  }
}
