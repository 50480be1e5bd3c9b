package other;

import org.junit.Before;
import org.junit.Test;

public class ClashTest {
  private String savedLocale;

  private final String savedHome2 = System.getProperty("app.home");

  @Before
  public void remember() {
    savedLocale = new Locale().toString();
  }

  @Test
  public void one() {
    String savedHome = savedLocale;
    System.setProperty("app.home", savedHome);
    System.setProperty("app.home", savedHome2);
  }

  static class Locale {}
}
