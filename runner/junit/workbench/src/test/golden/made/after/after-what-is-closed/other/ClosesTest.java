package other;

import org.junit.After;
import org.junit.Test;

public class ClosesTest extends ClosesBase {
  private final java.io.StringReader link = new java.io.StringReader("");
  private final java.util.List<String> rows = new java.util.ArrayList<>();

  @Override
  @After
  public void tearDown() {
    link.close();
    System.clearProperty("a");
  }

  @Test
  public void adds() {
    rows.add("a");
  }
}
