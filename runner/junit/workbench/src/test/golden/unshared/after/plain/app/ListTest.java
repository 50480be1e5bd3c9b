package app;

import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

public class ListTest {
  private final List<String> seen = new ArrayList<String>(); // of whoever

  @Test
  public void first() {
    seen.add("a");
    assertEquals(1, seen.size());
  }

  @Test
  public void second() {
    Runnable later = () -> seen.add("b");
    later.run();
    assertEquals(1, seen.size());
  }
}
