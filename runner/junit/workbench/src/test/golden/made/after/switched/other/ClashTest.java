package other;

import app.Registry;
import java.util.ArrayList;
import java.util.TimeZone;
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
    if (io.odfix.harness.Switch.on(0)) {
      Registry.getInstance().reset();
    }
    if (io.odfix.harness.Switch.on(1)) {
      TimeZone.setDefault(null);
    }
    if (io.odfix.harness.Switch.on(2)) {
      new ArrayList<>();
    }
    String savedHome = savedLocale;
    System.setProperty("app.home", savedHome);
  }

  static class Locale {}
}
