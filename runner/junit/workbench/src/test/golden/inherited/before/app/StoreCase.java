package app;

import org.junit.Before;

public abstract class StoreCase {
  private StringBuilder store;

  @Before
  public final void open() throws java.io.IOException {
    store = new StringBuilder();
    begin();
  }

  private void begin() {
    fill();
  }

  public void open(String unused) {
    other();
  }

  protected void other() {}

  protected void fill() {
    getStore().append(Registry.getInstance().reset());
  }

  protected StringBuilder getStore() {
    return store;
  }
}
