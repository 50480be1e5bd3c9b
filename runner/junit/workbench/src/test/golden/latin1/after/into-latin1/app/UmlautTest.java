package app;

import org.junit.After;
import org.junit.Test;

/** Prüft Größen. */
public class UmlautTest {
  private static final String NAME = "Müller";

  @After
  public void cleanUpSharedState() {
    Registry.getInstance().add(NAME + "é");
    Registry.getInstance().reset();
  }

  @Test
  public void setzt() {
    Registry.getInstance().add(NAME + "é");
    Registry.getInstance().reset(); // aufräumen
  }
}
