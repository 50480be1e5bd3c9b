package app;

public class Base {
  public static void inherited() {
    Registry.getInstance().reset();
  }

  public String inheritedName() {
    return "base";
  }
}
