package app;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** Shared state that tests pollute. */
public class Registry {
  private static final Registry INSTANCE = new Registry();
  private final List<String> names = new ArrayList<>();

  public static Registry getInstance() {
    return INSTANCE;
  }

  public void add(String name) {
    names.add(name);
  }

  public void addAll(List<String> more) {
    names.addAll(more);
  }

  public void put(Map.Entry<String, Integer> entry) {
    names.add(entry.getKey() + entry.getValue());
  }

  public boolean has(String name) {
    return names.contains(name);
  }

  public Registry reset() {
    names.clear();
    return this;
  }

  public void load(String file) throws IOException {
    if (file.isEmpty()) {
      throw new IOException("no file");
    }
  }

  public void on(Runnable r) {
    r.run();
  }

  public <T> T call(Callable<T> c) throws Exception {
    return c.call();
  }

  public void fail() {
    throw new IllegalStateException();
  }

  public static void clear(int level, long size) {
    INSTANCE.reset();
  }

  /** A nested type. */
  public static class Session implements AutoCloseable {
    public int id;

    public static Session open(String name) {
      return new Session();
    }

    @Override
    public void close() {
      INSTANCE.reset();
    }
  }
}
