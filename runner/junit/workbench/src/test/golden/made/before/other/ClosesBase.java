package other;

public abstract class ClosesBase {
  public void tearDown() {
    System.clearProperty("closes");
  }
}
