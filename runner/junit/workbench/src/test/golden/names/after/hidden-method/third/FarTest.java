package third;

import app.HelperTest;
import org.junit.Test;

public class FarTest {
  @Test
  public void victim() {
    HelperTest.restoreSharedState();
    int box = 1;
  }
}
