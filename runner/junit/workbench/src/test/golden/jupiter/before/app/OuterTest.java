package app;

import static org.junit.jupiter.api.Assertions.*;

import java.util.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OuterTest {
    private final Registry registry = Registry.getInstance();
    private static final List<String> ALL = new ArrayList<>(List.of("q"));

    @BeforeEach
    void open(TestInfo info) {
        registry.add("outer");
    }

    @Nested
    class Inner {
        private Map<String, List<Integer>> index = new HashMap<>();

        @BeforeEach
        void fill() {
            index.put("k", new ArrayList<>());
        }

        @Test
        void cleans() throws Exception {
            var list = new ArrayList<String>();
            var n = 3;
            list.add("v" + n);
            registry.addAll(list);
            registry.addAll(ALL);
            assertThrows(IllegalStateException.class, () -> {
                registry.reset();
                registry.fail();
            });
            assertDoesNotThrow(() -> registry.reset());
            try (Registry.Session s = Registry.Session.open("""
                    text
                      block
                    """)) {
                s.id = index.size();
            }
            List<Integer> found = index.get("k");
            registry.on(() -> found.add(list.size()));
            String kind = switch (n) {
                case 1 -> "one";
                default -> {
                    yield "many";
                }
            };
            Object o = kind;
            if (o instanceof String text && !text.isEmpty()) {
                registry.add(text);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void parameterised(int value) {
        registry.add("p" + value);
        registry.reset();
    }

    @Test
    void overloaded() {
        registry.reset();
    }
}
