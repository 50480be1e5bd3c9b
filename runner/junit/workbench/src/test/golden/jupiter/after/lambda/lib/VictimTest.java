package lib;

import static org.junit.jupiter.api.Assertions.assertFalse;

import app.Registry;
import java.awt.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class VictimTest {
    List unused;

    @BeforeEach
    void prepareSharedState() {
        Registry.getInstance().reset();
    }

    @Test
    void victim() {
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
