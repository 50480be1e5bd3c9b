package third;

import app.Base;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import lib.Tool;
import org.junit.Test;

import static lib.Tools.tool;
import static org.junit.Assert.assertEquals;

public class FarTest {
  @Test
  public void victim() {
    List<String> names = new ArrayList<>();
    Map.Entry<String, Integer> e = new AbstractMap.SimpleEntry<>("k", 1);
    tool(names);
    Base.inherited();
    Tool t = new Tool();
    java.util.Set<String> full = new java.util.HashSet<>(names);
    assertEquals(1, full.size() + t.n + e.getValue() - 1);
    int box = 1;
  }
}
