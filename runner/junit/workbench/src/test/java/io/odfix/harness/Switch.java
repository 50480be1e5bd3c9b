package io.odfix.harness;

/** Replaces the harness's class, so that patches with switches compile here. */
public final class Switch {
  private Switch() {}

  public static boolean on(int i) {
    return i >= 0;
  }

  public static void threw(Throwable t) {}
}
