package lib;

import static org.junit.jupiter.api.Assertions.assertFalse;

import app.Registry;
import java.awt.List;
import org.junit.jupiter.api.AfterEach;
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
            Object list = null;
        }
    }
}

class SecondTest {
  @AfterEach
  public void cleanUpSharedState() {
    Registry.getInstance().reset();
  }

  @Test
  public void second() {
  }
}
