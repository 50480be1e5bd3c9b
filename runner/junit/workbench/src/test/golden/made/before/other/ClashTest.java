package other;

import org.junit.Before;
import org.junit.Test;

public class ClashTest {
  private String savedLocale;

  @Before
  public void remember() {
    savedLocale = new Locale().toString();
  }

  @Test
  public void one() {
    String savedHome = savedLocale;
    System.setProperty("app.home", savedHome);
  }

  static class Locale {}
}
