package io.odfix.samples.jupiter;

import io.odfix.samples.Tape;

/** Half migrated: Vintage and Jupiter each run their part. */
public class Mixed {
    @org.junit.Test
    public void old() {
        Tape.say("old");
    }

    @org.junit.jupiter.api.Test
    void young() {
        Tape.say("young");
    }
}
