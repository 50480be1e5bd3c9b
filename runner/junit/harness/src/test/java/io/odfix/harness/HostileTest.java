package io.odfix.harness;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.Test;

/**
 * Whatever tests do to their JVM, what they did is reported, and the process ends when its parent
 * does.
 */
public class HostileTest {
    private static final String T = "io.odfix.samples.junit4.Hostile#";

    @Test
    public void reportsThroughEverything() throws Exception {
        // From 4.13 on, JUnit itself keeps interrupts within their test.
        try (Child child = Child.with(Jars.junit4("4.12"))) {
            List<Received> said = child.run(T + "swapsStreams", T + "closesStreams", T + "interrupts", T + "isInterrupted",
                    T + "changesDefaults", T + "overflows", T + "failsAtLength", T + "exhaustsMemory",
                    T + "throwsHostileException", T + "leavesThread", T + "interrupts");
            assertEquals(said.toString(), "pppppffffpp", Received.outcomes(said));
            assertEquals("java.lang.StackOverflowError", Received.finished(said, 5).kind);
            Received longest = Received.finished(said, 6);
            assertTrue(longest.message.startsWith("ünïcödé long"));
            assertEquals((16 << 10) + 1, longest.message.length());
            assertTrue(longest.stack.length() <= (64 << 10) + 1);
            assertEquals("java.lang.OutOfMemoryError", Received.finished(said, 7).kind);
            List<Received> later = child.run(T + "hasContextClassLoader", T + "isInterrupted", T + "hasContextClassLoader");
            assertEquals("an interrupt does not reach the next order", "pfp", Received.outcomes(later));
            String other = "io.odfix.samples.junit4.Plain#a";
            List<Received> loader = child.run(T + "leavesContextClassLoader", other, T + "hasContextClassLoader");
            assertEquals("a class loader reaches the next test, and hides no class from odfix", "ppf", Received.outcomes(loader));
            assertEquals("it does not reach the next order", "p", Received.outcomes(child.run(T + "hasContextClassLoader")));
        }
    }

    @Test
    public void exitIsReportedWithItsCaller() throws Exception {
        try (Child child = Child.with(Jars.junit4("4.12"))) {
            List<Received> said = child.run(T + "quiet", T + "exits", T + "quiet");
            Received last = said.get(said.size() - 1);
            assertEquals(said.toString(), "x 1", last.toString());
            assertTrue(last.message, last.message.startsWith("System.exit called in thread main\n\tat " + T.replace("#", ".exits")));
            assertTrue(child.process.waitFor(20, TimeUnit.SECONDS));
            assertEquals(7, child.process.exitValue());
        }
    }

    @Test
    public void stacksAreToldWhileATestHangs() throws Exception {
        try (Child child = Child.with(Jars.junit4("4.12"))) {
            child.start(T + "quiet", T + "hangs");
            child.until('f');
            child.until('s');
            child.send('T');
            List<Received> said = child.until('t');
            String dump = said.get(said.size() - 1).message;
            assertTrue(dump, dump.contains("\"main\" ") && dump.contains("\"odfix-commands\" daemon"));
            assertEquals(1, child.hangUp());
        }
    }

    @Test
    public void endsInSpiteOfSecurityManagerAndThreads() throws Exception {
        int java = (int) Double.parseDouble(System.getProperty("java.specification.version"));
        boolean managers = java < 24; // later versions have no security managers
        String[] allow = java >= 17 && managers ? new String[] {"-Djava.security.manager=allow"} : new String[0];
        for (boolean orderly : new boolean[] {true, false}) {
            try (Child child = Child.with(Jars.junit4("4.12"), allow)) {
                assertEquals(managers ? "pppp" : "pfpp", Received.outcomes(
                        child.run(T + "leavesThread", T + "forbidsExit", T + "quiet", T + "interrupts")));
                child.send('T');
                assertEquals(1, child.until('t').size());
                if (orderly) {
                    child.send('Q');
                    assertTrue(child.process.waitFor(20, TimeUnit.SECONDS));
                    assertEquals(0, child.process.exitValue());
                } else {
                    assertEquals(1, child.hangUp());
                }
            }
        }
    }

    @Test
    public void oddCommandsDoNoHarm() throws Exception {
        try (Child child = Child.with(Jars.junit4("4.12"))) {
            child.send('?', (byte) 1, (byte) 2);
            child.send('D', (byte) 127, (byte) 0, (byte) 0, (byte) 0);
            assertTrue(child.until('e').get(0).message.startsWith("a command that cannot be read"));
            assertEquals("", Received.outcomes(child.run()));
            assertEquals("p", Received.outcomes(child.run(T + "quiet")));
            for (String id : new String[] {"", "#", ">", "a.B>#x", "io.odfix.samples.Tape#say"}) {
                List<Received> said = child.run(id);
                assertEquals(said.toString(), 'e', said.get(said.size() - 1).type);
            }
        }
    }
}
