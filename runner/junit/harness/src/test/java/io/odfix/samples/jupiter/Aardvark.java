package io.odfix.samples.jupiter;

import io.odfix.samples.Tape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** First by name, so that a class orderer by name would put it first. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class Aardvark {
    private int ran;

    @Test
    void k() {
        Tape.say("k " + ++ran);
    }

    @Test
    void l() {
        Tape.say("l " + ++ran);
    }
}
