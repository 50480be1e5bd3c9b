package app;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.*;

class PairTest {
  static List<String> names;
  static int count;

  @BeforeAll static void create() {
    names = new ArrayList<>();
  }

  @Test void one() {
    names.add("1");
    count++;
    assertEquals(1, names.size());
  }

  @Nested
  class Inner {
    @Test void two() {
      count += 2;
      assertEquals(2, count);
    }
  }
}
