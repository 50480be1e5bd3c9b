package lib;

import java.util.List;

public class Tools {
  public static void tool(List<String> l) {
    l.add("tool");
  }
}
