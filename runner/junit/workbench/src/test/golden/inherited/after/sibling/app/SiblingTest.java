package app;

import java.io.IOException;
import org.junit.Test;

public class SiblingTest extends StoreCase {
  @Test
  public void victim() throws IOException {
    getStore();
    open();
  }
}
