package app;

import org.junit.Test;

public class AsciiTest {
  @Test
  public void victim() {
    Registry.getInstance().add("Müller" + "é");
    Registry.getInstance().reset();
  }
}
