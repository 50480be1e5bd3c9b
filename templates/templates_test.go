package templates

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden holds a text against testdata/NAME.txt; go test -update writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s (-want +got):\n%s", path, d)
	}
}

var shown = Options{Out: "/tmp/odfix-shop-1", Apply: "git apply /tmp/odfix-shop-1/odfix.patch",
	Verify: "odfix verify /tmp/odfix-shop-1/report.json"}

func TestFix(t *testing.T) {
	for name, r := range map[string]*job.Report{
		"victim":         victim(),
		"several":        several(),
		"no-patch":       noHelper(),
		"unproved":       unproved(),
		"other-verdicts": otherVerdicts(),
		"unfinished": {Version: 1, Tests: []job.TestReport{{Test: "a.B#c", Verdict: suite.Undecided,
			Reason: "passes alone; the search ended before more could be found out"}}},
	} {
		t.Run(name, func(t *testing.T) {
			o := shown
			if len(r.Tests) == 0 || r.Proved(r.Tests[0].Test) == nil {
				o.Apply, o.Verify = "", ""
			}
			got := Fix(r, o)
			golden(t, name, got)
			if i := strings.IndexByte(got, '\x1b'); i >= 0 {
				t.Errorf("an escape sequence without colour at %d", i)
			}
		})
	}
}

func TestFixColoursOnTerminals(t *testing.T) {
	o := shown
	o.Color, o.Width = true, 80
	got := Fix(victim(), o)
	golden(t, "victim-colour", got)
	plain := strings.NewReplacer("\x1b[0m", "", "\x1b[1m", "", "\x1b[2m", "", "\x1b[31m", "", "\x1b[32m",
		"", "\x1b[33m", "", "\x1b[36m", "").Replace(got)
	if d := cmp.Diff(Fix(victim(), Options{Width: 80, Out: shown.Out, Apply: shown.Apply, Verify: shown.Verify}), plain); d != "" {
		t.Errorf("colours change more than colours:\n%s", d)
	}
}

// TestHundredsFitAScreen: one cause of hundreds of tests, most of them shown together, is one entry
// that begins with one that was shown by itself.
func TestHundredsFitAScreen(t *testing.T) {
	polluter := suite.Order{"shop.ImportTest#reads"}
	r := &job.Report{Finished: true, Cohorts: []job.Cohort{{Cause: polluter}}}
	p := job.Patch{Kind: job.FromHelper, Diff: "--- a\n+++ b\n", Statements: []string{"Settings.reset();"}, Proof: job.Proof{Proved: true}}
	for i := range 688 {
		id := suite.TestID(fmt.Sprintf("shop.Crowd%02dTest#t%d", i/10, i))
		r.Cohorts[0].Tests, p.Fixes = append(r.Cohorts[0].Tests, id), append(p.Fixes, id)
		r.Tests = append(r.Tests, job.TestReport{Test: id, Verdict: suite.Victim,
			Reason: "fails behind ImportTest#reads in two orders", Polluters: []suite.Order{polluter}})
	}
	own := &r.Tests[300]
	own.Reason, own.MinimalOrder, own.Patches = "passes alone, fails after ImportTest#reads",
		append(polluter[:1:1], own.Test), []job.Patch{p}
	for i := range 40 { // of whom the same is said
		r.Tests = append(r.Tests, job.TestReport{Test: suite.TestID(fmt.Sprintf("shop.LateTest#t%d", i)),
			Verdict: suite.Undecided, Reason: "was not looked at"})
	}
	got := Fix(r, Options{})
	for _, want := range []string{"728 failing tests, 1 cause: 688 order-dependent, 688 with a proved patch, 40 undecided.",
		"shop.Crowd30Test#t300 is a victim", "… and 685 more in report.json",
		"1 by a shortest order of its own, 687 by orders that they share", "… and 34 more in report.json"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing", want)
		}
	}
	if n := strings.Count(got, "\n"); n > 50 || strings.Count(got, "●") != 2 {
		t.Errorf("%d lines:\n%s", n, got)
	}
}

// TestFitsAScreen: whatever the report holds, one cause with its patch takes
// 80 lines at most. (A usual one takes about 30, see testdata/victim.txt.)
func TestFitsAScreen(t *testing.T) {
	r := victim()
	for i := range 200 {
		id := suite.TestID(strings.Repeat("x", i) + ".T#t")
		tr := &r.Tests[0]
		tr.MinimalOrder = append(tr.MinimalOrder, id)
		tr.Polluters = append(tr.Polluters, suite.Order{id})
		tr.Cleaners = append(tr.Cleaners, suite.Cleaner{Cleaner: suite.Order{id}})
		tr.Notes = append(tr.Notes, "a note")
		tr.Patches[0].Diff += "+line\n"
		tr.Patches[0].Fixes = append(tr.Patches[0].Fixes, id)
		r.Tests = append(r.Tests, job.TestReport{Test: id, Verdict: suite.Victim, Patches: tr.Patches})
	}
	if n := strings.Count(Fix(r, shown), "\n"); n > 80 {
		t.Errorf("%d lines", n)
	}
}

func TestVerify(t *testing.T) {
	golden(t, "verify", Verify(victim(), Options{Out: "/tmp/o"}))
	golden(t, "verify-not", Verify(unproved(), Options{}))
}

func TestRuns(t *testing.T) {
	r := &job.Report{Version: 1, Finished: true, Runs: []suite.Run{
		{
			Order: suite.Order{"a.A#x", "a.B#y", "a.B#z"}, Nanos: 1.5e9,
			Results: []suite.Result{
				{Test: "a.A#x", Outcome: suite.Pass, Nanos: 12e6},
				{Test: "a.B#y", Outcome: suite.Fail, Nanos: 3e9, Failure: &suite.Failure{Type: "org.x.Err", Message: "no\nway"}},
				{Test: "a.B#z", Outcome: suite.Skip},
			},
			ClassFailures: []suite.ClassFailure{{Class: "a.B", Position: 2,
				Failure: suite.Failure{Type: "org.x.Err", Message: "left open"}}},
		},
		{
			Order: suite.Order{"a.A#x", "a.B#y"}, Nanos: 1e9,
			Results: []suite.Result{{Test: "a.A#x", Outcome: suite.Unresolved}},
			Crash:   &suite.Crash{Kind: "exit", Detail: "System.exit(3)", During: "a.A#x"},
		},
	}}
	golden(t, "runs", Runs(r, []suite.TestID{"a.B#y"}, Options{}))
}

func TestError(t *testing.T) {
	golden(t, "error-only", Error(broken().Error, Options{Width: 60}))
}

// TestHostileTextIsHarmless: nothing that a test names itself or throws can
// reach the terminal as anything but visible characters of its own line.
func TestHostileTextIsHarmless(t *testing.T) {
	const evil = "x\x1b[2J\x1b]0;t\x07\r\n✓ forged\u202egnp.\u009b31m\xff\u2028"
	r := victim()
	tr := &r.Tests[0]
	tr.Test, tr.Reason = suite.TestID(evil), evil
	tr.Failure = &suite.Failure{Type: evil, Message: evil, Stack: evil}
	tr.MinimalOrder = suite.Order{suite.TestID(evil)}
	tr.Cleaners = []suite.Cleaner{{Cleaner: suite.Order{suite.TestID(evil)}}}
	tr.Notes, r.Notes = []string{evil}, []string{evil}
	tr.Patches[0].Why, tr.Patches[0].Diff = evil, "+"+evil+"\n"
	tr.Patches[0].Fixes = []suite.TestID{tr.Test}
	tr.Patches[0].Proof.Checks[0] = job.Check{Name: evil, Detail: evil}
	tr.Reproduce = []job.Command{{What: evil, Line: evil, Dir: evil}}
	r.Error = &job.Error{Message: evil, Hint: evil, Detail: evil}
	r.Cost.Seconds = map[string]float64{evil: 1}
	for name, got := range map[string]string{
		"fix": Fix(r, shown), "verify": Verify(r, shown), "error": Error(r.Error, shown),
		"runs": Runs(&job.Report{Error: r.Error,
			Runs: []suite.Run{{Order: tr.MinimalOrder, Crash: &suite.Crash{Kind: evil, Detail: evil}}}}, nil, shown),
	} {
		if strings.ContainsAny(got, "\x1b\x07\r\u202e\u009b\u2028") || !utf8.ValidString(got) {
			t.Errorf("%s lets control characters through: %q", name, got)
		}
		for l := range strings.Lines(got) {
			if strings.HasPrefix(l, "✓ forged") {
				t.Errorf("%s lets a line be forged:\n%s", name, got)
			}
		}
	}
	if evil != string(r.Tests[0].Test) {
		t.Error("the report itself was changed")
	}
}

func FuzzHarmless(f *testing.F) {
	f.Add("a\r\nb\x1b[0m\tü\u200d", true)
	f.Fuzz(func(t *testing.T, s string, lines bool) {
		got := Harmless(s, lines)
		for _, r := range got {
			if harmful(r, lines) {
				t.Errorf("%q became %q, which holds %q", s, got, r)
			}
		}
		if !utf8.ValidString(got) {
			t.Errorf("%q is not UTF-8", got)
		}
	})
}

func TestSeconds(t *testing.T) {
	for s, want := range map[float64]string{0: "0.0s", 0.44: "0.4s", 9.96: "10s", 59: "59s", 119.4: "119s", 125.2: "2m5s", 3600: "60m0s"} {
		if got := Seconds(s); got != want {
			t.Errorf("%v is %q, want %q", s, got, want)
		}
	}
}

// Tests that fail for reasons of their own are told one by one, though the same words say why.
func TestSameWordsAreNoCause(t *testing.T) {
	r := &job.Report{Finished: true}
	for _, id := range []suite.TestID{"a.DateTest#leapYear", "z.MailTest#sends"} {
		r.Tests = append(r.Tests, job.TestReport{Test: id, Verdict: suite.Genuine,
			Reason: "fails alone and in every order that was tried (4 others)", Notes: []string{"a note on " + string(id)}})
	}
	text := Fix(r, Options{})
	for _, part := range []string{"2 failing tests, 2 causes", "a note on a.DateTest#leapYear", "a note on z.MailTest#sends"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in\n%s", part, text)
		}
	}
}
