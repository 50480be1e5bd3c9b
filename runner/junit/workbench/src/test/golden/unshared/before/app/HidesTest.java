package app;

import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.Test;

public class HidesTest {
  static List<String> log = new ArrayList<String>();

  class Inner {
    List<String> log = new ArrayList<String>();

    void add() {
      HidesTest.log.add("x");
    }
  }

  @Test
  public void one() {
    new Inner().add();
    assertEquals(1, log.size());
  }
}
