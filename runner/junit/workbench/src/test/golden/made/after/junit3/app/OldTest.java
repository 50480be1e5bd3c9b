package app;

import java.util.Locale;
import junit.framework.TestCase;

public class OldTest extends TestCase {
  private final Locale savedLocale = Locale.getDefault();

  @Override
  protected void tearDown() throws Exception {
    Locale.setDefault(savedLocale);
    super.tearDown();
  }

  public void testOne() {
    assertNotNull(Registry.getInstance());
  }
}
