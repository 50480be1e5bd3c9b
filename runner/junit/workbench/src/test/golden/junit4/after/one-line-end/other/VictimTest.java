package other;

import static org.junit.Assert.assertFalse;

import app.Registry;
import org.junit.Test;

public class VictimTest {

  @Test
  public void victim() {
    String request = "a";
    assertFalse(Registry.getInstance().has(request));
  }

  @Test public void oneLine() {
    assertFalse(Registry.getInstance().has("a"));
    Registry.getInstance().reset();
  }

  @Test public void empty() {}

  @Test(expected = IllegalStateException.class)
  public void ends() {
    // what it says
    Registry.getInstance().add("a");

    Registry.getInstance().fail();
  }
}
