package io.odfix.samples.jupiter;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.odfix.samples.Tape;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Jupiter 5.13 and later. */
@ParameterizedClass
@ValueSource(ints = {1, 2})
class ByClass {
    private final int value;

    ByClass(int value) {
        this.value = value;
    }

    @Test
    void g() {
        Tape.say("g " + value);
    }

    @Test
    void h() {
        Tape.say("h " + value);
        assertEquals(1, value);
    }

    @Nested
    class Deep {
        @Test
        void z() {
            Tape.say("z " + value);
        }
    }
}
