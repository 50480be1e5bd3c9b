package app;

import static org.junit.Assert.assertTrue;
import static app.Constants.LIMIT;

import app.Registry.Session;
import java.util.Arrays;
import java.util.List;
import java.util.Map.Entry;
import java.util.AbstractMap;
import org.junit.After;
import org.junit.AfterClass;
import org.junit.Before;
import org.junit.BeforeClass;
import org.junit.Rule;
import org.junit.Test;
import org.junit.rules.ExpectedException;

public class HelperTest {
  private static final String NAME = "a";
  private static final long SIZE = 5;
  static final String SHARED = "shared";
  private static String state = NAME + "x";

  private final Registry registry = Registry.getInstance();
  private List<String> more;
  private int count;

  @Rule public ExpectedException thrown = ExpectedException.none();

  @BeforeClass
  public static void first() {
    Registry.clear(LIMIT, SIZE);
  }

  @Before
  public void setUp() {
    more = Arrays.asList("x", "y");
    registry.addAll(more);
  }

  @Test
  public void cleans() throws Exception {
    Registry request = registry;
    request.reset();
    Entry<String, Integer> entry = new AbstractMap.SimpleEntry<>(NAME, 1);
    registry.put(entry);
    registry.load(SHARED);
    Session.open(NAME).close();
    assertTrue(registry.has(NAME));
  }

  @Test(expected = IllegalStateException.class)
  public void fails() {
    registry.reset();
    registry.fail();
  }

  @Test
  public void failsByRule() {
    registry.add(state);
    thrown.expect(IllegalStateException.class);
    thrown.expectMessage("");
    registry.reset();
    registry.fail();
  }

  @Test
  public void compounds() {
    for (int i = 0; i < 3; i++) {
      registry.add("n" + i);
      registry.reset();
    }
    try {
      String local = "z";
      registry.add(local);
      registry.fail();
    } catch (IllegalStateException e) {
      registry.add(e.getMessage());
    } finally {
      registry.reset();
    }
    if (count > 0) {
      return;
    }
    synchronized (registry) {
      registry.add(own());
    }
  }

  private String own() {
    return "own";
  }

  @After
  public void after() {
    more = null;
  }

  @AfterClass
  public static void last() {
    state = null;
  }

  public void restoreSharedState() throws Exception {
    if (io.odfix.harness.Switch.on(4)) {
      Registry.clear(LIMIT, SIZE);
    }
    if (io.odfix.harness.Switch.on(7)) {
      more = Arrays.asList("x", "y");
    }
    if (io.odfix.harness.Switch.on(8)) {
      registry.addAll(more);
    }
    Registry request;
    if (io.odfix.harness.Switch.on(9)) {
      request = registry;
    } else {
      request = null;
    }
    if (io.odfix.harness.Switch.on(10)) {
      request.reset();
    }
    Entry<String, Integer> entry;
    if (io.odfix.harness.Switch.on(11)) {
      entry = new AbstractMap.SimpleEntry<>(NAME, 1);
    } else {
      entry = null;
    }
    if (io.odfix.harness.Switch.on(12)) {
      registry.put(entry);
    }
    if (io.odfix.harness.Switch.on(13)) {
      registry.load(SHARED);
    }
    if (io.odfix.harness.Switch.on(14)) {
      Session.open(NAME).close();
    }
    if (io.odfix.harness.Switch.on(15)) {
      assertTrue(registry.has(NAME));
    }
    if (io.odfix.harness.Switch.on(16)) {
      more = null;
    }
    if (io.odfix.harness.Switch.on(17)) {
      state = null;
    }
    if (io.odfix.harness.Switch.on(21)) {
      Registry.clear(LIMIT, SIZE);
    }
    if (io.odfix.harness.Switch.on(24)) {
      more = Arrays.asList("x", "y");
    }
    if (io.odfix.harness.Switch.on(25)) {
      registry.addAll(more);
    }
    if (io.odfix.harness.Switch.on(26)) {
      registry.add(state);
    }
    if (io.odfix.harness.Switch.on(27)) {
      try {
        registry.reset();
        registry.fail();
      } catch (IllegalStateException expected) {
        // as the helper test expects
      }
    }
    if (io.odfix.harness.Switch.on(28)) {
      more = null;
    }
    if (io.odfix.harness.Switch.on(29)) {
      state = null;
    }
  }
}
