package app;

import org.junit.Test;

/** Prüft Größen. */
public class UmlautTest {
  private static final String NAME = "Müller";

  @Test
  public void setzt() {
    Registry.getInstance().add(NAME + "é");
    Registry.getInstance().reset(); // aufräumen
  }
}
