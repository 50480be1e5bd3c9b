package container;

public class Store<T> {
  private T kept;

  public void put(T t) {
    kept = t;
  }

  public void clear() {
    kept = null;
  }

  public boolean empty() {
    return kept == null;
  }
}
