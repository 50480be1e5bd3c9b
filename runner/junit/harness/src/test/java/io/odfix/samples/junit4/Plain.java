package io.odfix.samples.junit4;

import static org.junit.Assert.assertEquals;
import static org.junit.Assume.assumeTrue;

import io.odfix.samples.Tape;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Ignore;
import org.junit.Test;

public class Plain {
    @BeforeClass
    public static void before() {
        Tape.say("before");
    }

    @AfterClass
    public static void after() {
        Tape.say("after");
    }

    @Test
    public void a() {
        Tape.say("a");
    }

    @Test
    public void b() {
        Tape.say("b");
        assertEquals("sum", 4, 5);
    }

    @Test
    public void c() {
        Tape.say("c");
    }

    @Ignore("not today")
    @Test
    public void ignored() {
        Tape.say("ignored");
    }

    @Test
    public void assumes() {
        assumeTrue(Tape.class == null);
    }
}
