package lib;

import static org.junit.jupiter.api.Assertions.assertFalse;

import app.Registry;
import java.awt.List;
import java.util.ArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VictimTest {
    List unused;

    @Test
    void victim() {
        assertFalse(Registry.getInstance().has("q"));
    }

    @org.junit.jupiter.api.Nested
    class Deep {
        @BeforeEach
        void prepareSharedState() {
            java.util.List<String> ALL = new ArrayList<>(java.util.List.of("q"));
            Registry.getInstance().addAll(ALL);
        }

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
