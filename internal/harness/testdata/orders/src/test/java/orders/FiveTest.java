package orders;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FiveTest {
    @Test
    void brittle() {
        assertEquals(7, Counter.value);
    }

    @ParameterizedTest
    @ValueSource(ints = {7, 8})
    void setter(int value) {
        Counter.value = 15 - value;
    }

    @Nested
    class Inner {
        @Test
        void victim() {
            assertEquals(0, Counter.value);
        }
    }
}
