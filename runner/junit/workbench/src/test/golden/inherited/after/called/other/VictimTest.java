package other;

import app.HelperTest;
import java.io.IOException;
import org.junit.Test;

public class VictimTest {
  @Test
  public void victim() throws IOException {
    new HelperTest().open();
  }
}
