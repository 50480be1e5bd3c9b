package lib;

import static org.junit.jupiter.api.Assertions.assertFalse;

import app.Registry;
import java.awt.List;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VictimTest {
    List unused;

    @Test
    void victim() {
        assertFalse(Registry.getInstance().has("q"));
    }

    @org.junit.jupiter.api.Nested
    class Deep {
        @Test
        void deeper() {
            Registry registry = Registry.getInstance();
            Map<String, java.util.List<Integer>> index = new HashMap<>();
            var list2 = new ArrayList<String>();
            try (Registry.Session s = Registry.Session.open("""
                    text
                      block
                    """)) {
                s.id = index.size();
            }
            java.util.List<Integer> found = index.get("k");
            registry.on(() -> found.add(list2.size()));
            Object list = null;
        }
    }
}

class SecondTest {
  @Test
  public void second() {
  }
}
