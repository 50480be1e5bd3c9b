package io.odfix.samples.jupiter;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.Test;

/** Classes that break around their tests. */
class Broken5 {
    static class Setup {
        @BeforeAll
        static void before() {
            throw new IllegalStateException("no setup today");
        }

        @Test
        void a() {}

        @Test
        void b() {}
    }

    static class Teardown {
        @AfterAll
        static void after() {
            throw new IllegalStateException("no teardown today");
        }

        @Test
        void a() {}
    }

    @Disabled("all of it")
    static class Off {
        @Test
        void a() {}

        @Test
        void b() {}
    }
}
