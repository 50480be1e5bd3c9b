package templates

import (
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

const (
	receipt  suite.TestID = "com.example.shop.ReceiptTest#printsTheTotal"
	importer suite.TestID = "com.example.shop.CatalogueImportTest#readsThePriceListOfAGermanSupplier"
	reset    suite.TestID = "com.example.shop.SettingsTest#resetBringsBackTheDefaults"
)

const resetDiff = `diff --git a/src/test/java/com/example/shop/CatalogueImportTest.java b/src/test/java/com/example/shop/CatalogueImportTest.java
--- a/src/test/java/com/example/shop/CatalogueImportTest.java
+++ b/src/test/java/com/example/shop/CatalogueImportTest.java
@@ -9,6 +9,11 @@
 public class CatalogueImportTest {
 
+    @After
+    public void resetSettings() {
+        Settings.reset();
+    }
+
     @Test
     public void readsThePriceListOfAGermanSupplier() {
`

func fixed() []job.Patch {
	return []job.Patch{{
		Kind: "helper", Location: patch.PolluterTeardown, Helper: suite.Order{reset}, Statements: []string{"Settings.reset();"},
		Files: []string{"src/test/java/com/example/shop/CatalogueImportTest.java"}, Diff: resetDiff,
		Fixes: []suite.TestID{receipt},
		Why:   "the class that leaves the state changed cleans up after itself, which also protects tests that have not failed yet",
		Proof: job.Proof{Proved: true, Checks: []job.Check{
			{Name: "compiles under the project's own build", OK: true, Repeats: 1},
			{Name: "failing order passes with the patch", OK: true, Repeats: 3},
			{Name: "failing order fails without the patch", OK: true, Repeats: 3},
		}, Commands: []job.Command{{What: "failing order passes with the patch", Dir: ".", Line: "odfix run --orders o.tsv"}}},
	}}
}

func victim() *job.Report {
	return &job.Report{Version: 1, Tool: "odfix test", Finished: true, Tests: []job.TestReport{{
		Test: receipt, Verdict: suite.Victim, Reason: "passes alone, fails after " + string(importer),
		Failure: &suite.Failure{Type: "org.junit.ComparisonFailure", Message: "expected:<12[.]50> but was:<12[,]50>"},
		FailingOrder: &suite.Seen{Source: "test reports of the last run", Provenance: suite.Partial,
			Order: suite.Order{importer, "a.B#c", receipt}},
		MinimalOrder: suite.Order{importer, receipt}, Polluters: []suite.Order{{importer}},
		Cleaners: []suite.Cleaner{{Polluter: suite.Order{importer}, Cleaner: suite.Order{reset}}},
		State:    []string{"com.example.shop.Settings.VALUES"}, StateMatters: true,
		Changes: []job.StateChange{{
			Field: "com.example.shop.Settings.VALUES", Path: `com.example.shop.Settings.VALUES["money.format"]`,
			Before: `"0.00"`, After: `"0,00"`,
		}},
		Patches: fixed(),
		Reproduce: []job.Command{
			{What: "fails", Dir: ".", Line: "mvn test -Dtest=CatalogueImportTest,ReceiptTest", Exit: 1},
			{What: "passes", Dir: ".", Line: "mvn test -Dtest=ReceiptTest"},
		},
	}}, Cost: job.Cost{
		Questions: map[suite.Price]int{suite.Fresh: 21, suite.Warm: 9}, Tests: 64, Total: 24.31, FirstPatch: 19.8,
		Seconds: map[string]float64{job.PhaseProve: 6, job.PhaseBuild: 11.2, job.PhaseDiagnose: 4, "cleanup": 1},
	}}
}

// several: one patch fixes many tests, another test has a cause of its own.
func several() *job.Report {
	r := victim()
	p := &r.Tests[0].Patches[0]
	for _, id := range []suite.TestID{"a.A#1", "a.A#2", "a.A#3", "a.A#4", "a.A#5", "a.A#6", "a.A#7"} {
		p.Fixes = append(p.Fixes, id)
		r.Tests = append(r.Tests, job.TestReport{Test: id, Verdict: suite.Victim, Reason: "passes alone, fails after " + string(importer)})
	}
	r.Tests = append(r.Tests, noHelper().Tests...)
	r.Combined = &job.Combined{Files: []string{"A.java", "B.java"}, Fixes: append(suite.Order{"n.Use#finds"}, p.Fixes...),
		Proof: job.Proof{Proved: true, Checks: []job.Check{
			{Name: "compile together under the project's own build", OK: true, Repeats: 1},
			{Name: "every failing order of every fixed test passes", OK: true, Repeats: 1, Detail: "9 orders"},
		}}}
	r.Notes = []string{"2 classes hold TestNG tests, which odfix does not run yet."}
	return r
}

func noHelper() *job.Report {
	o := suite.Order{"n.Setup#installs", "n.Spoil#replaces", "n.Use#finds"}
	return &job.Report{Version: 1, Finished: true, Tests: []job.TestReport{{
		Test: "n.Use#finds", Verdict: suite.VictimBrittle, MinimalOrder: o,
		Reason:       "fails alone, passes after n.Setup#installs, fails again when n.Spoil#replaces comes between",
		StateSetters: []suite.Order{o[:1]}, Polluters: []suite.Order{o[1:2]},
		NonIdempotent: true, Notes: []string{"it also fails when it is run twice in one process"},
	}, {
		Test: "n.Other#finds", Verdict: suite.Brittle, Reason: "fails alone, passes after n.Setup#installs",
		MinimalOrder: suite.Order{o[0], "n.Other#finds"}, StateSetters: []suite.Order{o[:1], {"n.Setup#again"}},
		PassingOrder: &suite.Seen{Source: "the suite's own order", Order: suite.Order{"a", "b", "c", "d"}},
	}}}
}

func unproved() *job.Report {
	r := victim()
	pr := &r.Tests[0].Patches[0].Proof
	pr.Proved = false
	pr.Checks[1] = job.Check{Name: "failing order passes with the patch", Repeats: 3, Detail: "2 of 3 runs failed"}
	return r
}

func otherVerdicts() *job.Report {
	return &job.Report{Version: 1, Finished: true, Tests: []job.TestReport{
		{Test: "a.A#genuine", Verdict: suite.Genuine, Reason: "fails alone and in every order that was tried (7 others)",
			Failure: &suite.Failure{Message: "expected 3"}},
		{Test: "a.A#flaky", Verdict: suite.FlakyOther,
			Reason: "both passes and fails in one and the same order (alone; 3 of 5 runs failed)"},
		{Test: "a.A#fine", Verdict: suite.NotReproduced, Reason: "passes alone and in all of 12 other orders that were tried"},
		{Test: "a.A#hangs", Verdict: suite.Undecided},
	}}
}

func broken() *job.Report {
	return &job.Report{Version: 1, Error: &job.Error{
		Code: "build-broken", Message: "the project does not compile, so that none of its tests can be run as its own build would run them",
		Hint:   "fix the build until mvn test-compile succeeds, then run odfix again",
		Detail: "ReceiptTest.java:[3,8] ';' expected\nReceiptTest.java:[9,1] class expected\n",
	}}
}
