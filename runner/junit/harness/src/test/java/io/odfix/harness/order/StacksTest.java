package io.odfix.harness.order;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class StacksTest {
    private static int end(String... classes) {
        StackTraceElement[] frames = new StackTraceElement[classes.length];
        for (int i = 0; i < classes.length; i++) {
            frames[i] = new StackTraceElement(classes[i], "m", "F.java", i);
        }
        return Stacks.end(frames);
    }

    @Test
    public void endsWhereTheFrameworkCallsTheTest() {
        String reflect = "jdk.internal.reflect.DirectMethodHandleAccessor";
        assertEquals(2, end("org.junit.Assert", "a.B", reflect, "java.lang.reflect.Method", "org.junit.runners.X", "z"));
        assertEquals(2, end("a.C", "a.B", "sun.reflect.X", "java.lang.reflect.Method", "junit.framework.TestCase"));
        // The test's own reflection is part of it.
        assertEquals(4, end("a.C", reflect, "a.B", "a.B", "java.lang.reflect.Method", "org.junit.X"));
        assertEquals(1, end("a.B", reflect, "java.util.ArrayList", "java.util.ArrayList"));
        assertEquals(2, end("a.B", "java.lang.Thread", "io.odfix.harness.Main"));
        assertEquals(1, end("io.odfix.harness.Main", "io.odfix.harness.Main"));
    }

    @Test
    public void causesMayRunInACircle() {
        Exception a = new Exception("a");
        Exception b = new Exception("b", a);
        a.initCause(b);
        String text = Stacks.of(a);
        assertEquals(text.indexOf("Caused by: java.lang.Exception: b"), text.lastIndexOf("Caused by: "));
    }
}
