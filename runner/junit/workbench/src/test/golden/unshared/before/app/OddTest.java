package app;

import static org.junit.Assert.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.ClassRule;
import org.junit.Test;
import org.junit.rules.TemporaryFolder;

public class OddTest {
  @ClassRule public static TemporaryFolder folder = new TemporaryFolder();
  static List<String> shared = new ArrayList<String>();
  static int a, b;
  static final List<String> inBlock = new ArrayList<String>();
  static List<String> twice;
  static List<String> inside = new ArrayList<String>();

  static {
    inBlock.add("x");
  }

  static class Holder {
    int size = inside.size();
  }

  @BeforeClass
  public static void create() {
    twice = new ArrayList<String>();
  }

  @Before
  public void fill() {
    twice.add("y");
  }

  @Test
  public void one() {
    shared.add("1");
    assertEquals(1, shared.size() + a + b);
  }
}
