package app;

public abstract class DeepCase extends StoreCase {
  @Override
  protected void fill() {
    getStore().append("deep");
  }
}
