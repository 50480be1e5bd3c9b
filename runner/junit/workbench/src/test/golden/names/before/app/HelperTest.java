package app;

import static lib.Tools.*;
import static org.junit.Assert.assertEquals;

import java.util.*;
import lib.*;
import org.junit.Test;

public class HelperTest extends Base {
  enum Level { LOW, HIGH }

  interface Names {
    String A = "a";
  }

  static class Box {
    Level level = Level.LOW;

    static Box of() {
      return new Box();
    }
  }

  @Test
  public void cleans() {
    Box box = Box.of();
    switch (box.level) {
      case LOW:
        Registry.getInstance().reset();
        break;
      default:
    }
    List<String> names = new ArrayList<>();
    names.add(Names.A);
    Map.Entry<String, Integer> e = new AbstractMap.SimpleEntry<>("k", 1);
    tool(names);
    inherited();
    Tool t = new Tool();
    java.util.Set<String> full = new java.util.HashSet<>(names);
    assertEquals(1, full.size() + t.n + e.getValue() - 1);
    Registry.Session.open(Names.A);
    Comparator<String> by = String::compareTo;
    Object self = new Object() {
      @Override
      public String toString() {
        return names + inheritedName();
      }

      String inheritedName() {
        return "n" + by.hashCode();
      }
    };
    self.toString();
  }
}
