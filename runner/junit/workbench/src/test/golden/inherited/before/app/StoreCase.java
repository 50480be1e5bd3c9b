package app;

import org.junit.Before;

public abstract class StoreCase {
  private StringBuilder store;

  @Before
  public final void open() throws java.io.IOException {
    store = new StringBuilder();
    fill();
  }

  protected void fill() {
    getStore().append(Registry.getInstance().reset());
  }

  protected StringBuilder getStore() {
    return store;
  }
}
