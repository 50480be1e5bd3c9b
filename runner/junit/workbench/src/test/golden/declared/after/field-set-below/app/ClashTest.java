package app;

import java.util.ArrayList;
import org.junit.After;
import org.junit.Before;
import org.junit.Test;

public class ClashTest extends OpenCase {
  @Before
  public void opens() {
    names = new ArrayList<>();
    names = new ArrayList<>();
    names.clear();
  }

  @After
  public void cleanUpSharedState() {
  }

  @Test
  public void clears() {
    System.clearProperty("mode");
    names.clear();
  }

  @Test
  public void load() throws java.io.IOException {
    Loader.load();
  }
}
