package other;

import static org.junit.Assert.assertFalse;

import app.Registry;
import org.junit.Test;

public class VictimTest {

  @Test
  public void victim() {
    Registry registry = Registry.getInstance();
    try {
      registry.reset();
      registry.fail();
    } catch (IllegalStateException expected) {
      // as the helper test expects
    }
    String request = "a";
    assertFalse(Registry.getInstance().has(request));
  }

  @Test public void oneLine() { assertFalse(Registry.getInstance().has("a")); }

  @Test public void empty() {}

  @Test(expected = IllegalStateException.class)
  public void ends() {
    // what it says
    Registry.getInstance().add("a");

    Registry.getInstance().fail();
  }
}
