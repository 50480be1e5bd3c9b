package io.odfix.harness;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

/** The JUnit Platform from 1.4 to 6. */
public class PlatformTest {
    private static final String IN = "io.odfix.samples.jupiter.";
    private static final String FIVE = IN + "Five#";

    private static List<List<String>> all() {
        List<List<String>> all = new ArrayList<>();
        all.add(Jars.jupiter("1.4.2", "5.4.2"));
        all.add(Jars.vintage());
        all.add(Jars.jupiter("1.13.4", "5.13.4"));
        if (!System.getProperty("java.version").startsWith("1.")) {
            all.add(Jars.jupiter("6.0.1", "6.0.1")); // asks for Java 17
        }
        return all;
    }

    @Test
    public void ordersWinOverOrderers() throws Exception {
        for (List<String> jars : all()) {
            try (Child child = Child.with(jars)) {
                List<Received> said = child.run(FIVE + "assumes", FIVE + "dynamic", IN + "Five$Inner#y", FIVE + "b(TestInfo)",
                        FIVE + "disabled", FIVE + "a", IN + "Aardvark#l", IN + "Aardvark#k", FIVE + "a", IN + "Five$Inner#x");
                assertEquals(jars + "" + said, "sppfsppppp".replace(" ", ""), Received.outcomes(said));
                assertEquals(Arrays.asList("before", "d1", "d2", "y", "b", "a", "after", "l 1", "k 2",
                        "before", "a", "x", "after"), child.tape());
                assertEquals("not today", Received.finished(said, 4).message.replaceAll(".*==> ", ""));
                Received failed = Received.finished(said, 3);
                assertTrue(failed.stack, failed.stack.trim().matches("(?s).*Five.java:\\d+\\)"));
            }
        }
    }

    @Test
    public void invocationsMakeOneTest() throws Exception {
        for (List<String> jars : all()) {
            try (Child child = Child.with(jars)) {
                List<Received> said = child.run(FIVE + "p(int, String)", FIVE + "repeated", FIVE + "p(int, String)");
                assertEquals(jars + "" + said, "fpf", Received.outcomes(said));
                assertEquals("ppfpp", letters(said).substring(0, 5));
                assertEquals(Arrays.asList("before", "p one", "p two", "p three", "repeated", "repeated", "after",
                        "before", "p one", "p two", "p three", "after"), child.tape());
            }
        }
    }

    private static String letters(List<Received> said) {
        StringBuilder out = new StringBuilder();
        for (Received each : said) {
            if (each.type == 'i') {
                out.append(each.outcome);
            }
        }
        return out.toString();
    }

    @Test
    public void comingBackToNestedGroupsIsAnotherVisit() throws Exception {
        try (Child child = Child.with(Jars.vintage())) {
            String inner = IN + "Five$Inner#";
            assertEquals("pppp", Received.outcomes(child.run(inner + "y", FIVE + "a", inner + "x", IN + "Aardvark#k")));
            assertEquals(Arrays.asList("before", "y", "a", "after", "before", "x", "after", "k 1"), child.tape());
        }
    }

    @Test
    public void reportsClassesThatBreak() throws Exception {
        for (List<String> jars : all()) {
            try (Child child = Child.with(jars)) {
                String b = IN + "Broken5$";
                List<Received> said = child.run(b + "Setup#a", b + "Setup#b", b + "Teardown#a", b + "Off#b", b + "Off#a");
                assertEquals(jars + "" + said, "ffpss", Received.outcomes(said));
                assertEquals("no setup today", Received.finished(said, 1).message);
                assertTrue(said.toString(), said.toString().contains("c 2 " + b + "Teardown"));
            }
        }
    }

    @Test
    public void classesWithParametersRunOncePerInvocation() throws Exception {
        for (List<String> jars : all().subList(2, all().size())) {
            try (Child child = Child.with(jars)) {
                Received found = child.discover(IN + "ByClass").get(0);
                assertEquals("[t C#g /4, t C#h /4, g C$Deep, t C$Deep#z /4, e]",
                        found.names.toString().replace(IN + "ByClass", "C"));
                List<Received> said = child.run(IN + "ByClass$Deep#z", IN + "ByClass#h", IN + "Aardvark#k");
                assertEquals(jars + "" + said, "pfp", Received.outcomes(said));
                assertEquals(Arrays.asList("z 1", "h 1", "z 2", "h 2", "k 1"), child.tape());
            }
        }
    }

    @Test
    public void discoversInTheProjectsOrder() throws Exception {
        for (List<String> jars : all()) {
            try (Child child = Child.with(jars, "-Dodfix.excludedGroups=slow & !never")) {
                List<Received> found = child.discover(IN + "Five", "io.odfix.samples.Tape", IN + "Broken5$Off");
                assertEquals("[t F#a, t F#p(int, String) /4, t F#repeated /4, t F#dynamic /4, t F#disabled /1, t F#assumes,"
                        + " g F$Inner, t F$Inner#x, t F$Inner#y, e]", found.get(0).names.toString().replace(IN + "Five", "F"));
                assertEquals("platform 130", found.get(0).kind + " " + found.get(0).number);
                assertEquals("none", found.get(1).kind);
                assertTrue(found.get(2).names.contains("t " + IN + "Broken5$Off#a /1"));
                assertTrue(child.tape().isEmpty());
            }
        }
    }

    @Test
    public void vintageJupiterAndSuitesStandInOneOrder() throws Exception {
        try (Child child = Child.with(Jars.vintage())) {
            String plain = "io.odfix.samples.junit4.Plain#";
            String suite = IN + "Suite5>";
            List<Received> found = child.discover(IN + "Mixed", IN + "Suite5", "io.odfix.samples.junit4.Plain");
            assertEquals("[t M#old, t M#young]", found.get(0).names.toString().replace(IN + "Mixed", "M"));
            assertTrue(found.get(1).names.toString(), found.get(1).names.contains("t " + suite + IN + "Aardvark#k"));
            assertEquals("junit4", found.get(2).kind);
            List<Received> said = child.run(plain + "c", IN + "Mixed#young", plain + "a", IN + "Mixed#old",
                    suite + IN + "Five#a", suite + IN + "Aardvark#l", suite + IN + "Aardvark#k");
            assertEquals(said.toString(), "ppppppp", Received.outcomes(said));
            assertEquals(Arrays.asList("before", "c", "after", "young", "before", "a", "after", "old",
                    "before", "a", "after", "l 1", "k 2"), child.tape());
        }
    }

    @Test
    public void refusesWhatIsNotThere() throws Exception {
        try (Child child = Child.with(Jars.vintage())) {
            Received refused = child.run(FIVE + "a", FIVE + "gone", FIVE + "p(long)").get(0);
            assertEquals("[" + FIVE + "gone]", refused.names.toString());
            List<Received> late = child.run(FIVE + "a", FIVE + "p(long)");
            assertEquals("[" + FIVE + "p(long)]", late.get(late.size() - 1).names.toString());
            assertEquals("p", Received.outcomes(child.run(FIVE + "a")));
        }
    }

    @Test
    public void enginesThatTheBuildLeavesOutFindNothing() throws Exception {
        assertEquals("platform none", found("-Dodfix.excludeEngines=junit-vintage, other"));
        assertEquals("none junit4", found("-Dodfix.includeEngines=junit-vintage"));
        assertEquals("platform junit4", found("-Dodfix.includeEngines=junit-jupiter,junit-vintage"));
    }

    /** Whose a class of Jupiter and a class of JUnit 4 are. */
    private static String found(String setting) throws Exception {
        try (Child child = Child.with(Jars.vintage(), setting)) {
            List<Received> found = child.discover(IN + "Five", "io.odfix.samples.junit4.Plain");
            return found.get(0).kind + " " + found.get(1).kind;
        }
    }
}
