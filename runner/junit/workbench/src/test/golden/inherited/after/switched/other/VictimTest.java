package other;

import app.HelperTest;
import java.io.IOException;
import org.junit.Before;
import org.junit.Test;

public class VictimTest {
  @Before
  public void prepareSharedState() throws IOException {
    new HelperTest().restoreSharedState();
  }

  @Test
  public void victim() {
  }
}
