package other;

import static org.junit.Assert.assertFalse;

import app.Registry;
import java.util.AbstractMap;
import org.junit.Test;

public class VictimTest {

  @Test
  public void victim() {
    new AbstractMap.SimpleEntry<>("a", 1);
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
