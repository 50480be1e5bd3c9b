package io.odfix.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import org.junit.jupiter.api.Test;

class FieldsTest {
    static class Base {
        static String shared = "static fields are no parameters";
        private String argLine = "-Xmx1g";
        private boolean skip;
        private final Thread thread = Thread.currentThread();
        private String hidden = "of the base";

        private String getToolchain() {
            return "toolchain of " + argLine + hidden;
        }
    }

    static class Mojo extends Base {
        private int rerun = 3;
        private String forkCount = "2C";
        private String hidden = "of the mojo";

        String fails() {
            throw new IllegalStateException(hidden + rerun + forkCount);
        }
    }

    private final Mojo mojo = new Mojo();
    private final Fields fields = new Fields(mojo);

    @Test
    void listsPlainFieldsOfAllClassesTheNearestFirst() {
        Map<String, Object> plain = fields.plain();
        assertEquals("-Xmx1g", plain.get("argLine"));
        assertEquals(3, plain.get("rerun"));
        assertEquals("of the mojo", plain.get("hidden"));
        assertFalse(plain.containsKey("thread"));
        assertFalse(plain.containsKey("shared"));
    }

    @Test
    void setsInheritedFields() {
        assertTrue(fields.set("skip", true));
        assertEquals(true, fields.get("skip"));
        assertTrue(fields.set("rerun", 0));
        assertTrue(fields.set("forkCount", 1), "a number where the field is a text");
        assertEquals("1", fields.get("forkCount"));
    }

    @Test
    void toleratesWhatOtherVersionsDoNotHave() {
        assertFalse(fields.set("reuseForks", true));
        assertFalse(fields.set("rerun", "not a number"));
        assertNull(fields.get("reuseForks"));
        assertNull(fields.call("getReuseForks"));
        assertNull(fields.call("fails"));
    }

    @Test
    void callsPrivateMethodsOfBaseClasses() {
        assertEquals("toolchain of -Xmx1gof the base", fields.call("getToolchain"));
    }
}
