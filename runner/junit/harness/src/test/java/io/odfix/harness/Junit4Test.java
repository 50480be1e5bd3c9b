package io.odfix.harness;

import static org.junit.Assert.assertEquals;
import static org.junit.Assert.assertFalse;
import static org.junit.Assert.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.Test;

/** JUnit 4 of every age that keeps its children in another place. */
public class Junit4Test {
    private static final String IN = "io.odfix.samples.junit4.";
    private static final String[] ALL = {"4.5", "4.11", "4.12", "4.13.2"};

    @Test
    public void runsAnyOrderInVisits() throws Exception {
        for (String version : ALL) {
            try (Child child = Child.with(Jars.junit4(version))) {
                assertTrue(child.hello.names.get(0), child.hello.names.get(0).startsWith("junit 4."));
                String p = IN + "Plain#";
                List<Received> said = child.run(p + "c", p + "ignored", p + "a", p + "assumes", p + "b", p + "a", p + "c");
                assertEquals(version + said, "pspsfpp", Received.outcomes(said));
                assertEquals(Arrays.asList("before", "c", "a", "b", "after", "before", "a", "c", "after"), child.tape());
                assertEquals("not today", Received.finished(said, 1).message);
                Received failed = Received.finished(said, 4);
                assertTrue(failed.stack, failed.stack.trim().matches("(?s).*Plain.java:\\d+\\)"));
            }
        }
    }

    @Test
    public void mixesClassesFixedOrdersParametersAndNesting() throws Exception {
        for (String version : ALL) {
            try (Child child = Child.with(Jars.junit4(version))) {
                String fixed = IN + "Fixed#";
                String params = IN + "Params#";
                boolean old = version.equals("4.5"); // has no @FixMethodOrder
                List<Received> said = child.run(
                        params + "n[1]", params + "m[1]", params + "n[0]", params + "m[1]",
                        old ? params + "n[1]" : fixed + "third", old ? params + "m[1]" : fixed + "first",
                        IN + "Outer$Two#r", IN + "Outer$One#q", IN + "Outer$One#p", IN + "Outer$Two#r");
                assertEquals(version + said, "pppppppppp", Received.outcomes(said));
                assertEquals(Arrays.asList("n y", "m y", "n x", "m y", old ? "n y" : "third", old ? "m y" : "first",
                        "r", "q", "p", "r"), child.tape());
            }
        }
    }

    @Test
    public void reachesTestsThroughSuites() throws Exception {
        for (String version : ALL) {
            try (Child child = Child.with(Jars.junit4(version))) {
                String by = IN + "All>";
                String three = by + "io.odfix.samples.junit3.Three";
                List<Received> said = child.run(three + "#testC", three + "#testA", by + IN + "Params#n[1]",
                        by + IN + "Params#m[0]", by + IN + "Plain#c", by + IN + "Plain#a");
                assertEquals(version + said, "pppppp", Received.outcomes(said));
                assertEquals(Arrays.asList("C", "A", "n y", "m x", "before", "c", "a", "after"), child.tape());
            }
        }
    }

    @Test
    public void adapterOfOwnClassFixesNoOrder() throws Exception {
        for (String version : ALL) {
            try (Child child = Child.with(Jars.junit4(version))) {
                String own = IN + "Adapted";
                assertEquals(version, 0, child.discover(own).get(0).number);
                List<Received> said = child.run(own + "#b", own + "#a");
                assertEquals(version + said, "pp", Received.outcomes(said));
                assertEquals(Arrays.asList("b", "a"), child.tape());
            }
        }
    }

    @Test
    public void reportsClassesThatBreak() throws Exception {
        try (Child child = Child.with(Jars.junit4("4.13.2"))) {
            String b = IN + "Broken$";
            List<Received> said = child.run(b + "Setup#a", b + "Setup#b", b + "Teardown#b", b + "Teardown#a",
                    b + "Initialiser#b", b + "Initialiser#a", b + "Ignored#a");
            assertEquals(said.toString(), "ffppffs", Received.outcomes(said));
            assertTrue(said.toString(), said.toString().contains("c 3 " + b + "Teardown"));
            assertEquals("no setup today", Received.finished(said, 1).message);
            assertEquals("java.lang.NoClassDefFoundError", Received.finished(said, 5).kind);
        }
    }

    @Test
    public void invocationsOfAMethodMakeOneTest() throws Exception {
        List<String> jars = new ArrayList<>(Jars.junit4("4.12"));
        jars.add("JUnitParams-1.1.1");
        try (Child child = Child.with(jars)) {
            String in = IN + "Invoked#";
            assertEquals("[t p /4, t q /4, t plain]",
                    child.discover(IN + "Invoked").get(0).names.toString().replace(in, ""));
            List<Received> said = child.run(in + "plain", in + "q", in + "p", in + "p", in + "q");
            assertEquals(said.toString(), "ppffp", Received.outcomes(said));
            assertEquals(Arrays.asList("plain", "q x", "q y", "p one", "p two", "p one", "p two", "q x", "q y"), child.tape());
            assertEquals("i 2 p(2, two) [1](" + IN + "Invoked) f", said.get(8).toString());
        }
    }

    @Test
    public void aTestMayFailWhenItIsOver() throws Exception {
        for (String version : ALL) {
            try (Child child = Child.with(Jars.junit4(version))) {
                List<Received> said = child.run(IN + "Late#careless", IN + "Late#careful", IN + "Plain#a");
                assertEquals(version + said, "fpp", Received.outcomes(said));
                assertEquals("left unfinished", Received.finished(said, 0).message);
            }
        }
    }

    @Test
    public void makesRunnersWhenTheirClassIsDue() throws Exception {
        try (Child child = Child.with(Jars.junit4("4.12"))) {
            String params = IN + "Params#";
            List<Received> said = child.run(params + "m[0]", IN + "Params$Breaker#breaks", params + "m[0]", params + "n[0]");
            assertEquals(said.toString(), "ppff", Received.outcomes(said));
            assertEquals("no parameters", Received.finished(said, 3).message);
        }
    }

    @Test
    public void findsTheRunnerInsideAnother() throws Exception {
        for (String version : ALL) {
            try (Child child = Child.with(Jars.junit4(version))) {
                String w = IN + "Wrapped#";
                if (version.equals("4.5")) {
                    continue; // keeps no list of children, and this runner can be neither filtered nor sorted
                }
                assertEquals("pp", Received.outcomes(child.run(w + "c", w + "a")));
                assertEquals(Arrays.asList("c", "a"), child.tape());
            }
        }
    }

    @Test
    public void setsThePartsOfPowerMocksRunner() throws Exception {
        try (Child child = Child.with(Jars.powerMock(), opened("java.lang", "java.lang.reflect", "java.util"))) {
            String p = IN + "Powered#";
            List<Received> said = child.run(p + "c", p + "a", p + "b", p + "c", p + "b", p + "a");
            assertEquals(said.toString(), "pppppp", Received.outcomes(said));
            String b = "b in another loader true";
            assertEquals(Arrays.asList("c", "a", b, "c", b, "a"), child.tape());
            String d = IN + "Powered$Delegated#";
            assertEquals("pppp", Received.outcomes(child.run(d + "n[1]", d + "m[0]", d + "n[0]", d + "n[1]")));
            assertEquals(Arrays.asList("n y", "m x", "n x", "n y"), child.tape().subList(6, 10));
        }
    }

    /** What PowerMock needs on Java 17. */
    private static String[] opened(String... packages) {
        if (System.getProperty("java.version").startsWith("1.")) {
            return new String[0];
        }
        return Arrays.stream(packages).map(p -> "--add-opens=java.base/" + p + "=ALL-UNNAMED").toArray(String[]::new);
    }

    @Test
    public void namesFitOneLineAndComeBackFromUtf8() throws Exception {
        try (Child child = Child.with(Jars.junit4("4.13.2"))) {
            String t = IN + "OddNames#t[";
            String[] names = {t + "tab\\tline\\nreturn\\r]", t + "nul\\u0000]", t + "half \\ud83d]",
                t + "whole \ud83d\ude00]", t + "a#b>c(d)]"};
            String found = child.discover(IN + "OddNames").get(0).names.toString();
            for (String name : names) {
                assertTrue(name + " of " + found, found.contains("t " + name));
            }
            assertEquals("ppppp", Received.outcomes(child.run(names[4], names[3], names[2], names[1], names[0])));
        }
    }

    @Test
    public void refusesRunnersThatDoAsTheyLike() throws Exception {
        try (Child child = Child.with(Jars.junit4("4.13.2"))) {
            String s = IN + "Wrapped$Stubborn#";
            List<Received> alone = child.run(s + "y");
            assertTrue(alone.toString(), alone.get(0).message.contains("Always cannot be made to run these tests alone"));
            assertFalse(alone.get(0).gone);
            List<Received> observed = child.run(s + "x", s + "y");
            Received last = observed.get(observed.size() - 1);
            assertEquals(observed.toString(), 'e', last.type);
            List<Received> absent = child.run(IN + "Plain#a", IN + "Plain#gone");
            assertEquals("e io.odfix.samples.junit4.Plain has no test gone [io.odfix.samples.junit4.Plain#gone]",
                    absent.get(0).toString());
            assertTrue(absent.get(0).gone);
            assertEquals(1, absent.size());
        }
    }

    @Test
    public void discoversWhatSurefireWouldRun() throws Exception {
        try (Child child = Child.with(Jars.junit4("4.13.2"))) {
            List<Received> found = child.discover(IN + "Params", IN + "Fixed", IN + "Broken$NotPublic",
                    "io.odfix.samples.Tape", "no.such.Class", IN + "Plain", IN + "Outer", "io.odfix.samples.jupiter.Five");
            assertEquals("[g [0], t P#m[0], t P#n[0], e, g [1], t P#m[1], t P#n[1], e]",
                    found.get(0).names.toString().replace(IN + "Params", "P"));
            assertEquals("junit4 2", found.get(1).kind + " " + found.get(1).number);
            assertTrue(found.get(2).message, found.get(2).message.contains("Method a() should be public"));
            assertEquals("none", found.get(3).kind);
            assertTrue(found.get(4).message, found.get(4).message.contains("not on the class path"));
            assertTrue(found.get(5).names.contains("t " + IN + "Plain#ignored /1"));
            assertTrue(found.get(6).names.contains("t " + IN + "Outer$Two#r"));
            assertEquals("none", found.get(7).kind);
            assertTrue("discovery ran a test", child.tape().isEmpty());
        }
    }

    @Test
    public void honoursCategoriesInDiscoveryOnly() throws Exception {
        try (Child child = Child.with(Jars.junit4("4.12"), "-Dodfix.excludedGroups=Slow || x.Other")) {
            Received found = child.discover(IN + "Collecting").get(0);
            assertEquals("[t " + IN + "Collecting#collects]", found.names.toString());
            List<Received> said = child.runWith("01", IN + "Collecting#switched", IN + "Collecting#collects");
            assertEquals(said.toString(), "pf", Received.outcomes(said));
            assertTrue(Received.finished(said, 1).message, Received.finished(said, 1).message.contains("one\n(and 1 more)"));
        }
    }

    @Test
    public void saysWhichSettingCannotBeRead() throws Exception {
        try (Child child = Child.with(Jars.junit4("4.12"), "-Dodfix.groups=(a")) {
            List<Received> said = child.run(IN + "Plain#a");
            assertEquals("the groups expression \"(a\" cannot be read at character 2", said.get(0).message);
        }
    }

    @Test
    public void recognisesFrameworksItDoesNotDrive() throws Exception {
        try (Child child = Child.with(Jars.junit4("4.12"))) {
            List<Received> found = child.discover("io.odfix.samples.Foreign$OfTestNg", "io.odfix.samples.Foreign$OfSpock");
            assertEquals("testng spock", found.get(0).kind + " " + found.get(1).kind);
        }
    }
}
