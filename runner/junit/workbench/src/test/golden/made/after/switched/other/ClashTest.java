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
      try {
        Registry.getInstance().reset();
      } catch (Throwable odfixThrew) {
        io.odfix.harness.Switch.threw(odfixThrew);
      }
    }
    if (io.odfix.harness.Switch.on(1)) {
      try {
        TimeZone.setDefault(null);
      } catch (Throwable odfixThrew) {
        io.odfix.harness.Switch.threw(odfixThrew);
      }
    }
    if (io.odfix.harness.Switch.on(2)) {
      try {
        new ArrayList<>();
      } catch (Throwable odfixThrew) {
        io.odfix.harness.Switch.threw(odfixThrew);
      }
    }
    String savedHome = savedLocale;
    System.setProperty("app.home", savedHome);
  }

  static class Locale {}
}
