package io.odfix.harness;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.Arrays;
import java.util.List;
import org.junit.Test;

/**
 * JUnit 3 classes, with JUnit 3.8 alone and through JUnit 4's runners: the same ids, the same
 * behaviour.
 */
public class Junit3Test {
    private static final String THREE = "io.odfix.samples.junit3.Three";
    private static final String AGAIN = "io.odfix.samples.junit3.ThreeAgain";
    private static final String SUITE = "io.odfix.samples.junit3.ThreeSuite";
    private static final List<List<String>> BOTH =
            Arrays.asList(Jars.junit3(), Jars.junit4("4.5"), Jars.junit4("4.13.2"));

    @Test
    public void runsAnyOrder() throws Exception {
        for (List<String> jars : BOTH) {
            try (Child child = Child.with(jars)) {
                List<Received> said = child.run(
                        THREE + "#testC", THREE + "#testA", AGAIN + "#testE", THREE + "#testB", THREE + "#testB");
                assertEquals(jars + "" + said, "pppff", Received.outcomes(said));
                assertEquals(Arrays.asList("C", "A", "E", "B", "B"), child.tape());
                Received failed = Received.finished(said, 3);
                assertEquals("junit.framework.AssertionFailedError: b is broken", failed.kind + ": " + failed.message);
            }
        }
    }

    @Test
    public void prunesAndReordersSuites() throws Exception {
        for (List<String> jars : BOTH) {
            try (Child child = Child.with(jars)) {
                Received found = child.discover(SUITE).get(0);
                String in = "t " + SUITE + ">";
                assertEquals("the author fixed the order", 2, found.number);
                assertTrue(found.names.toString(), found.names.contains(in + THREE + "#testB~2"));
                assertTrue(found.names.toString(), found.names.contains(in + AGAIN + "#testD~2 /4"));
                String by = SUITE + ">";
                List<Received> said = child.run(by + AGAIN + "#testE", by + AGAIN + "#testD", by + THREE + "#testC~2",
                        by + AGAIN + "#testD~2", by + THREE + "#testA");
                assertEquals(said.toString(), "ppppp", Received.outcomes(said));
                assertEquals(Arrays.asList("setup", "E", "D", "teardown", "C", "D", "D", "A"), child.tape());
            }
        }
    }

    @Test
    public void suiteOfOwnTestsFixesNoOrder() throws Exception {
        for (List<String> jars : BOTH) {
            try (Child child = Child.with(jars)) {
                String own = "io.odfix.samples.junit3.ThreeOwnSuite";
                assertEquals(jars.toString(), 0, child.discover(own).get(0).number);
                assertEquals(jars.toString(), 2, child.discover("io.odfix.samples.junit3.ThreeChosenSuite").get(0).number);
                for (String order : Arrays.asList("GF", "FG")) {
                    List<Received> said = child.run(own + "#test" + order.charAt(0), own + "#test" + order.charAt(1));
                    assertEquals(jars + "" + said, "pp", Received.outcomes(said));
                }
                assertEquals(Arrays.asList("G", "F", "F", "G"), child.tape());
            }
        }
    }

    @Test
    public void failedSetupIsTheTestsFailure() throws Exception {
        for (List<String> jars : BOTH) {
            try (Child child = Child.with(jars)) {
                String bad = "io.odfix.samples.junit3.ThreeBadSetup>" + AGAIN;
                List<Received> said = child.run(bad + "#testE", bad + "#testD");
                assertEquals(said.toString(), "ff", Received.outcomes(said));
                assertEquals("no setup today", Received.finished(said, 1).message);
            }
        }
    }

    @Test
    public void refusesWhatIsNotThere() throws Exception {
        for (List<String> jars : BOTH) {
            try (Child child = Child.with(jars)) {
                List<Received> said = child.run(AGAIN + "#testD", THREE + "#testX", "a.B#c");
                Received last = said.get(said.size() - 1);
                assertEquals(said.toString(), 'e', last.type);
                assertEquals("[a.B#c]", last.names.toString());
                assertEquals(1, said.size());
            }
        }
    }
}
