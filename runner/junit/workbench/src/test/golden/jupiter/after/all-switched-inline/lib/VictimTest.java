package lib;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import app.Registry;
import java.awt.List;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class VictimTest {
    List unused;

    @Test
    void victim() throws Exception {
        java.util.List<String> ALL;
        if (io.odfix.harness.Switch.on(0)) {
            ALL = new ArrayList<>(java.util.List.of("q"));
        } else {
            ALL = null;
        }
        Registry registry;
        if (io.odfix.harness.Switch.on(1)) {
            registry = Registry.getInstance();
        } else {
            registry = null;
        }
        Map<String, java.util.List<Integer>> index;
        if (io.odfix.harness.Switch.on(2)) {
            index = new HashMap<>();
        } else {
            index = null;
        }
        if (io.odfix.harness.Switch.on(3)) {
            registry.add("outer");
        }
        if (io.odfix.harness.Switch.on(4)) {
            index.put("k", new ArrayList<>());
        }
        var list = io.odfix.harness.Switch.on(5) ? (new ArrayList<String>()) : null;
        var n = 3;
        if (io.odfix.harness.Switch.on(7)) {
            list.add("v" + n);
        }
        if (io.odfix.harness.Switch.on(8)) {
            registry.addAll(list);
        }
        if (io.odfix.harness.Switch.on(9)) {
            registry.addAll(ALL);
        }
        if (io.odfix.harness.Switch.on(10)) {
            assertThrows(IllegalStateException.class, () -> {
                registry.reset();
                registry.fail();
            });
        }
        if (io.odfix.harness.Switch.on(11)) {
            assertDoesNotThrow(() -> registry.reset());
        }
        if (io.odfix.harness.Switch.on(12)) {
            try (Registry.Session s = Registry.Session.open("""
                    text
                      block
                    """)) {
                s.id = index.size();
            }
        }
        java.util.List<Integer> found;
        if (io.odfix.harness.Switch.on(13)) {
            found = index.get("k");
        } else {
            found = null;
        }
        if (io.odfix.harness.Switch.on(14)) {
            registry.on(() -> found.add(list.size()));
        }
        String kind;
        if (io.odfix.harness.Switch.on(15)) {
            kind = switch (n) {
                case 1 -> "one";
                default -> {
                    yield "many";
                }
            };
        } else {
            kind = null;
        }
        Object o;
        if (io.odfix.harness.Switch.on(16)) {
            o = kind;
        } else {
            o = null;
        }
        if (io.odfix.harness.Switch.on(17)) {
            if (o instanceof String text && !text.isEmpty()) {
                registry.add(text);
            }
        }
        assertFalse(Registry.getInstance().has("q"));
    }

    @org.junit.jupiter.api.Nested
    class Deep {
        @Test
        void deeper() {
            Object list = null;
        }
    }
}

class SecondTest {
  @Test
  public void second() {
  }
}
