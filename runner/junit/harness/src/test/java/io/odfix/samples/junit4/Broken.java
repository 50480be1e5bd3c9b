package io.odfix.samples.junit4;

import io.odfix.samples.Tape;
import org.junit.AfterClass;
import org.junit.BeforeClass;
import org.junit.Ignore;
import org.junit.Test;

/** Classes that break around their tests. */
public class Broken {
    public static class Setup {
        @BeforeClass
        public static void before() {
            throw new IllegalStateException("no setup today");
        }

        @Test
        public void a() {}

        @Test
        public void b() {}
    }

    public static class Teardown {
        @AfterClass
        public static void after() {
            throw new IllegalStateException("no teardown today");
        }

        @Test
        public void a() {}

        @Test
        public void b() {}
    }

    public static class Initialiser {
        static final int VALUE = Integer.parseInt("none");

        @Test
        public void a() {}

        @Test
        public void b() {}
    }

    public static class NotPublic {
        @Test
        void a() {}
    }

    @Ignore("all of it")
    public static class Ignored {
        @Test
        public void a() {
            Tape.say("ignored");
        }
    }
}
