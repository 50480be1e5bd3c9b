package templates

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// hostile is a name that means something to terminals and to HTML.
const hostile = suite.TestID("a.Evil#x\x1b[31m</td><script>alert('1')</script>&\"")

func detection() *job.Report {
	r := &job.Report{Version: 1, Tool: "odfix test", Finished: true,
		Tests: []job.TestReport{
			{Test: "shop.ReceiptTest#printsTheTotal", Verdict: suite.Victim, Reason: "passes alone, fails after ImportTest#reads",
				Failure:      &suite.Failure{Type: "org.junit.ComparisonFailure", Message: "expected:<5.00> but was:<5,00>"},
				MinimalOrder: suite.Order{"shop.ImportTest#reads", "shop.ReceiptTest#printsTheTotal"},
				Polluters:    []suite.Order{{"shop.ImportTest#reads"}, {hostile}},
				Cleaners: []suite.Cleaner{{Polluter: suite.Order{"shop.ImportTest#reads"},
					Cleaner: suite.Order{"shop.SettingsTest#reset"}}}},
			{Test: "shop.InvoiceTest#sum", Verdict: suite.Victim, Reason: "passes alone, fails after ImportTest#reads",
				Polluters: []suite.Order{{"shop.ImportTest#reads"}}},
			{Test: "shop.ViewerTest#shows", Verdict: suite.Brittle, Reason: "fails alone, passes after InstallTest#all",
				StateSetters: []suite.Order{{"shop.InstallTest#a", "shop.InstallTest#b"}}},
			{Test: "shop.LateTest#x", Verdict: suite.Victim, Reason: "passes alone (5 of 5), fails in order 7 (random) (3 of 3)"},
			{Test: hostile, Verdict: suite.FlakyOther, Reason: "both passes and fails in one and the same order"},
			{Test: "shop.BrokenTest#y", Verdict: suite.Genuine, Reason: "fails alone and in all of 9 runs",
				Failure: &suite.Failure{Type: "java.net.UnknownHostException", Message: "registry.example" + strings.Repeat(" not found", 20)}},
		},
		Detection: &job.Detection{
			Technique: "auto", Guarantee: []string{"every class runs directly after every other class"},
			Orders: 9, OrdersAll: 40, Executions: 812, Pairs: 300, PairsAll: 930, Seconds: 41.2,
			Finds: []job.Found{{Test: "shop.ReceiptTest#printsTheTotal", Orders: 3},
				{Test: "shop.InvoiceTest#sum", Orders: 3}, {Test: "shop.ViewerTest#shows", Orders: 4},
				{Test: "shop.LateTest#x", Orders: 7}},
			Causes: []job.Cause{
				{Role: job.Polluter, Tests: []suite.TestID{"shop.ReceiptTest#printsTheTotal", "shop.InvoiceTest#sum"},
					By: []suite.Order{{"shop.ImportTest#reads"}, {hostile}}},
				{Role: job.StateSetter, Tests: []suite.TestID{"shop.ViewerTest#shows"},
					By: []suite.Order{{"shop.InstallTest#a", "shop.InstallTest#b"}}},
				{Role: job.NotKnown, Tests: []suite.TestID{"shop.LateTest#x"}},
			},
			LeftOut:   []job.Unsure{{Test: "shop.ExitTest#z", Why: "ends its process, alone too (exit)"}},
			Undecided: []job.Unsure{{Test: "shop.MaybeTest#m", Why: "both passed and failed, and there was no time left to confirm it"}},
			Missing:   []suite.TestID{"shop.GoneTest#g"},
		},
	}
	r.NameTests(job.NameBy(junitid.Syntax{}))
	return r
}

func TestDetect(t *testing.T) {
	got := Detect(detection(), someCommands, "/tmp/x/detect.html", Options{Out: "/tmp/x"})
	golden(t, "detect", got)
	if strings.ContainsRune(got, '\x1b') {
		t.Error("an escape sequence of a test's name")
	}
	all := detection()
	all.Detection.Exhausted = true
	for _, text := range []string{Detect(all, NextCommands{}, "", Options{}), DetectPage(all, Options{}, NextCommands{})} {
		if !strings.Contains(text, "but for 2 tests that could not run") {
			t.Errorf("it promises too much:\n%s", text)
		}
	}
	none := &job.Report{Detection: &job.Detection{Technique: "auto", Exhausted: true, Orders: 3}}
	golden(t, "detect-none", Detect(none, NextCommands{}, "", Options{}))
	if Detect(&job.Report{}, NextCommands{}, "", Options{}) != "" {
		t.Error("an answer where there is none")
	}
}

func TestJUnitOfDetection(t *testing.T) {
	r := detection()
	r.Tests[0].Failure.Message = "]]> & \x00 <x>"
	got := JUnit(r)
	golden(t, "detect.xml", got)
	var back junitSuite
	if err := xml.Unmarshal([]byte(got), &back); err != nil {
		t.Fatal(err)
	}
	if back.Tests != len(back.Cases) || back.Failures != 6 || back.Errors != 1 || back.Skipped != 1 {
		t.Errorf("%+v", back)
	}
}

// crowd is a detection of hundreds of tests that one polluter breaks, seen together but for one.
func crowd(n int) *job.Report {
	r := detection()
	polluter := suite.Order{"shop.ImportTest#reads"}
	c := job.Cohort{Failing: polluter, Repeats: 3, Cause: polluter}
	r.Detection.Causes = r.Detection.Causes[:1]
	for i := range n {
		t := suite.TestID(fmt.Sprintf("shop.Crowd%02dTest#t%d", i/10, i))
		c.Tests, c.Failing, c.Passing = append(c.Tests, t), append(c.Failing, t), append(c.Passing, t)
		r.Tests = append(r.Tests, job.TestReport{Test: t, Verdict: suite.Victim,
			Reason: "fails after ImportTest#reads and others", Polluters: []suite.Order{polluter},
			Failure: &suite.Failure{Type: "java.lang.AssertionError", Message: fmt.Sprint("no ", i),
				Stack: strings.Repeat("\tat shop.Line\n", 40)}})
		r.Detection.Finds = append(r.Detection.Finds, job.Found{Test: t, Orders: 1})
		r.Detection.Causes[0].Tests = append(r.Detection.Causes[0].Tests, t)
	}
	r.Detection.Cohorts = []job.Cohort{c}
	r.NameTests(job.NameBy(junitid.Syntax{}))
	return r
}

// TestCrowdIsReadable: hundreds of tests of one cause are one entry.
func TestCrowdIsReadable(t *testing.T) {
	r := crowd(600)
	text := Detect(r, NextCommands{}, "", Options{})
	if !strings.Contains(text, "Breaks 602") || strings.Count(text, "\n") > 60 {
		t.Errorf("%d lines:\n%s", strings.Count(text, "\n"), text)
	}
	last := &r.Tests[len(r.Tests)-1]
	last.Patches = []job.Patch{{Kind: job.FromHelper, Diff: "--- a\n+++ b\n", Statements: []string{"Settings.reset();"},
		Fixes: []suite.TestID{last.Test}}}
	if text := Detect(r, NextCommands{}, "", Options{}); !strings.Contains(text, "Patch         1 statement") {
		t.Errorf("the patch of one of them is not shown:\n%s", text)
	}
	r.Tests[0].MinimalOrder = append(slices.Clone(r.Detection.Cohorts[0].Failing), r.Tests[0].Test)
	if lines := strings.Count(JUnit(r), "\n"); lines > 600*4+100 {
		t.Errorf("%d lines of XML", lines)
	}
}

// TestOnePatchIsShownOnce: causes with one patch show its diff once.
func TestOnePatchIsShownOnce(t *testing.T) {
	r := &job.Report{Version: job.Version, Project: job.Project{Language: "java"}, Detection: &job.Detection{Technique: "auto", Orders: 1}}
	for _, x := range []suite.TestID{"a.A#one", "a.A#two"} {
		p := job.Patch{Kind: job.FromHelper, Location: patch.PolluterTeardown, Statements: []string{"Settings.reset();"},
			Fixes: []suite.TestID{"a.A#one", "a.A#two"}, Proof: job.Proof{Proved: true}}
		p.SetDiff("--- a/A.java\n+++ b/A.java\n@@ -1 +1,2 @@\n a\n+reset\n")
		polluter := "p.P#of" + suite.TestID(x[4:])
		r.Tests = append(r.Tests, job.TestReport{Test: x, Verdict: suite.Victim, Polluters: []suite.Order{{polluter}}, Patches: []job.Patch{p}})
		r.Detection.Finds = append(r.Detection.Finds, job.Found{Test: x})
		r.Detection.Causes = append(r.Detection.Causes, job.Cause{By: []suite.Order{{polluter}}, Role: job.Polluter, Tests: []suite.TestID{x}})
	}
	text := Detect(r, NextCommands{}, "", Options{})
	if strings.Count(text, "+reset") != 1 || !strings.Contains(text, "the same as for p.P#ofone above") || !strings.Contains(text, "(one patch)") {
		t.Error(text)
	}
}

// TestStateAndReasonOfACause: a cause has the state that was proved to matter instead of state that may, and
// the reason why one of its tests has no patch.
func TestStateAndReasonOfACause(t *testing.T) {
	r := &job.Report{Version: job.Version, Project: job.Project{Language: "java"}, Detection: &job.Detection{Technique: "auto", Orders: 1}, Finished: true}
	polluter := suite.Order{"p.P#sets"}
	for _, x := range []suite.TestID{"a.A#one", "a.A#two"} {
		r.Tests = append(r.Tests, job.TestReport{Test: x, Verdict: suite.Victim, Polluters: []suite.Order{polluter},
			State: []string{"p.Config.mode"}, StateMatters: true, Unpatched: job.NothingRestores})
		r.Detection.Finds = append(r.Detection.Finds, job.Found{Test: x})
	}
	r.Detection.Causes = []job.Cause{{By: []suite.Order{polluter}, Role: job.Polluter, Tests: []suite.TestID{"a.A#one", "a.A#two"}, Location: "p.Config.mode, p.Other.x"}}
	const state, reason = "State         p.Config.mode (with only that restored, it passes)", "Patch         none: no test restores the state, and no method"
	text := Detect(r, NextCommands{}, "", Options{})
	if !strings.Contains(text, state) || !strings.Contains(text, reason) || strings.Contains(text, "whether it is the cause was not tried") {
		t.Error(text)
	}
	r.Tests[1].State = []string{"p.Other.x"}
	if text := Detect(r, NextCommands{}, "", Options{}); !strings.Contains(text, "State         p.Config.mode\n                p.Other.x\n") {
		t.Errorf("different states, and a claim about both tests:\n%s", text)
	}
	r.Tests[1].Patches = []job.Patch{{Kind: job.FromHelper, Statements: []string{"Config.reset();"}, Fixes: []suite.TestID{"a.A#two"}}}
	if text := Detect(r, NextCommands{}, "", Options{}); strings.Contains(text, reason) || !strings.Contains(text, "a.A#one has none: no test restores") {
		t.Error(text)
	}
	r.Tests = append(r.Tests, r.Tests[0])
	r.Tests[2].Test = "a.A#three"
	r.Detection.Causes[0].Tests = append(r.Detection.Causes[0].Tests, "a.A#three")
	if text := Detect(r, NextCommands{}, "", Options{}); !strings.Contains(text, "a.A#one and 1 more have none: no test restores") {
		t.Error(text)
	}
	r.Tests[0].Unpatched, r.Tests[2].Unpatched = "", ""
	if text := Detect(r, NextCommands{}, "", Options{}); strings.Contains(text, "none") {
		t.Error(text)
	}
}
