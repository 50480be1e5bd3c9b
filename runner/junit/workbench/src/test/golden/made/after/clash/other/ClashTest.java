package other;

import org.junit.After;
import org.junit.Before;
import org.junit.Test;

public class ClashTest {
  private String savedLocale;

  private final java.util.Locale savedLocale2 = java.util.Locale.getDefault();

  @Before
  public void remember() {
    savedLocale = new Locale().toString();
  }

  @After
  public void cleanUpSharedState() {
    java.util.Locale.setDefault(savedLocale2);
  }

  @Test
  public void one() {
    String savedHome = savedLocale;
    System.setProperty("app.home", savedHome);
  }

  static class Locale {}
}
