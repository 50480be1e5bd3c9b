package other;

import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

public class SharedTest {
  public static final List<String> SEEN = new ArrayList<>();

  @Test
  public void adds() {
    SEEN.add("one");
  }

  @Test
  public void shadows() {
    String SEEN = "two";
    SharedTest.SEEN.add(SEEN);
  }
}
