package app;

import java.awt.List;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Comparator;
import lib.Tools;
import org.junit.Test;

import static org.junit.Assert.assertEquals;

public class CrowdedTest {
  static class Map {}

  static class Tool {}

  static void tool(Object o) {}

  @Test
  public void victim() {
    List names = null;
    Map e = new Map();
    tool(names + "" + e);
    HelperTest.Box box = HelperTest.Box.of();
    switch (box.level) {
      case LOW:
        Registry.getInstance().reset();
        break;
      default:
    }
    java.util.List<String> names2 = new ArrayList<>();
    names2.add(HelperTest.Names.A);
    java.util.Map.Entry<String, Integer> e2 = new AbstractMap.SimpleEntry<>("k", 1);
    Tools.tool(names2);
    Base.inherited();
    lib.Tool t = new lib.Tool();
    java.util.Set<String> full = new java.util.HashSet<>(names2);
    assertEquals(1, full.size() + t.n + e2.getValue() - 1);
    Registry.Session.open(HelperTest.Names.A);
    Comparator<String> by = String::compareTo;
    Object self = new Object() {
      @Override
      public String toString() {
        return names2 + inheritedName();
      }

      String inheritedName() {
        return "n" + by.hashCode();
      }
    };
    self.toString();
  }
}
