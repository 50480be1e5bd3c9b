package io.odfix.samples.jupiter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.odfix.samples.Tape;
import java.util.Arrays;
import java.util.Collection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Disabled;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class Five {
    @BeforeAll
    static void before() {
        Tape.say("before");
    }

    @AfterAll
    static void after() {
        Tape.say("after");
    }

    @Test
    @Order(1)
    void a() {
        Tape.say("a");
    }

    @Test
    @Order(2)
    @Tag("slow")
    void b(TestInfo info) {
        Tape.say("b");
        assertEquals(4, 5);
    }

    @ParameterizedTest
    @Order(3)
    @CsvSource({"1, one", "2, two", "3, three"})
    void p(int number, String name) {
        Tape.say("p " + name);
        assertEquals(2, Math.max(number, 2));
    }

    @RepeatedTest(2)
    @Order(4)
    void repeated() {
        Tape.say("repeated");
    }

    @TestFactory
    @Order(5)
    Collection<DynamicTest> dynamic() {
        return Arrays.asList(dynamicTest("d1", () -> Tape.say("d1")), dynamicTest("d2", () -> Tape.say("d2")));
    }

    @Test
    @Order(6)
    @Disabled("not today")
    void disabled() {
        Tape.say("disabled");
    }

    @Test
    @Order(7)
    void assumes() {
        assumeTrue(Tape.class == null);
    }

    @Nested
    class Inner {
        @Test
        void x() {
            Tape.say("x");
        }

        @Test
        void y() {
            Tape.say("y");
        }
    }
}
