package app;

public abstract class LowerCase {
  protected void renew() {
    fill();
  }

  protected void fill() {
    Registry.getInstance().reset();
  }
}
