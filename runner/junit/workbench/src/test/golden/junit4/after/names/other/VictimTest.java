package other;

import static org.junit.Assert.assertFalse;

import app.Registry;
import app.Registry.Session;
import java.io.IOException;
import java.util.AbstractMap;
import java.util.Map.Entry;
import org.junit.Before;
import org.junit.Test;

public class VictimTest {

  @Before
  public void prepareSharedState() throws IOException {
    Registry registry = Registry.getInstance();
    Entry<String, Integer> entry = new AbstractMap.SimpleEntry<>("a", 1);
    registry.put(entry);
    registry.load("shared");
    Session.open("a").close();
  }

  @Test
  public void victim() {
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
