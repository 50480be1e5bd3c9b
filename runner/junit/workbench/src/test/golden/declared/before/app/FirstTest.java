package app;

import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

public class FirstTest extends BaseCase {
  private static final List<String> SEEN = new ArrayList<>();

  @Test
  public void own() {
    SEEN.add("own");
  }

  @Test
  public void cleans() {
    System.clearProperty("mode");
    SEEN.clear();
  }
}
