package app;

import java.util.List;
import org.junit.Test;

public abstract class OpenCase {
  protected List<String> names;

  @Test
  public void adds() {
    names.add("one");
  }
}
