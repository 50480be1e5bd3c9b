package verdict

import (
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/config"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// said is a report and what has to come of it.
type said struct {
	name     string
	s        *pullRequest
	comments []config.Rung
	title    string
}

func only(tests ...job.TestReport) *pullRequest {
	s := newPolluter()
	s.report = &job.Report{Version: 1, Finished: true, Tests: tests}
	return s
}

// as is the new polluter's pull request with the report changed.
func as(change func(r *job.Report, s *pullRequest)) *pullRequest {
	s := newPolluter()
	s.report = victimReport(s.wanted())
	change(s.report, s)
	return s
}

func configured(change func(*config.Config)) *pullRequest {
	s := newPolluter()
	s.config = change
	return s
}

func another(id suite.TestID) job.TestReport {
	return job.TestReport{Test: id, Verdict: suite.Victim,
		Reason:       "passes alone, fails after CatalogueImportTest#readsThePriceListOfAGermanSupplier",
		MinimalOrder: suite.Order{importer, id}, Polluters: []suite.Order{{importer}}}
}

var (
	genuine = job.TestReport{
		Test: "com.example.shop.TaxTest#rounds", Verdict: suite.Genuine, Reason: "fails alone and in every order that was tried (7 others)",
		Failure: &suite.Failure{Type: "java.lang.AssertionError", Message: "expected 3\nbut was 4",
			Stack: "java.lang.AssertionError: expected 3\n\tat com.example.shop.TaxTest.rounds(TaxTest.java:9)\n"},
		Evidence: []suite.Answer{{Order: suite.Order{"com.example.shop.TaxTest#rounds"}, Outcome: suite.Fail, Repeats: 3,
			Why: "alone"}, {Order: suite.Order{"a.A#x", "a.A#y", "a.A#z", "a.B#x", "com.example.shop.TaxTest#rounds"},
			Outcome: suite.Fail, Repeats: 1, Why: "reversed"}},
	}
	flaky = job.TestReport{Test: "com.example.shop.ClockTest#ticks", Verdict: suite.FlakyOther,
		Reason: "both passes and fails in one and the same order (alone; 3 of 5 runs failed)"}
	absent = job.TestReport{Test: "com.example.shop.NetTest#answers", Verdict: suite.NotReproduced,
		Reason: "passes alone and in all of 12 other orders that were tried"}
	unclear = job.TestReport{Test: "com.example.shop.SlowTest#ends", Verdict: suite.Undecided, Reason: "hung after 90 seconds"}
	brittle = job.TestReport{
		Test: "com.example.shop.MenuTest#lists", Verdict: suite.Brittle, Reason: "fails alone, passes after SetupTest#fills",
		MinimalOrder: suite.Order{"com.example.shop.SetupTest#fills", "com.example.shop.MenuTest#lists"},
		StateSetters: []suite.Order{{"com.example.shop.SetupTest#fills"}},
		PassingOrder: &suite.Seen{Source: "the suite's own order", Order: suite.Order{"a.A#a"}},
	}
	both = job.TestReport{
		Test: "com.example.shop.MenuTest#lists", Verdict: suite.VictimBrittle,
		Reason: "fails alone, passes after SetupTest#fills, fails again when SpoilTest#empties comes between",
		MinimalOrder: suite.Order{"com.example.shop.SetupTest#fills", "com.example.shop.SpoilTest#empties",
			"com.example.shop.MenuTest#lists"},
		StateSetters: []suite.Order{{"com.example.shop.SetupTest#fills"}}, Polluters: []suite.Order{{"com.example.shop.SpoilTest#empties"}},
	}
)

func reports() []said {
	suggestion := []config.Rung{config.Suggestion}
	onFile := []config.Rung{config.FileComment}
	onPull := []config.Rung{config.Comment}
	long := counted(9000)
	return []said{
		{"genuine", only(genuine), nil, "Not order-dependent: the test fails in every order that was tried"},
		{"genuine-asked-for", configuredWith(only(genuine), func(c *config.Config) {
			c.Comments.AlsoOn = []config.AlsoOn{config.OnFlaky, config.OnNotReproduced, config.OnUndecided, "genuine"}
		}), nil, "Not order-dependent"},
		{"flaky", only(flaky), nil, "Flaky, but not because of the order of tests"},
		{"not-reproduced", only(absent), nil, "Not reproduced"},
		{"unresolved", only(unclear), nil, "No certain answer"},
		{"others-asked-for", configuredWith(only(flaky, absent, unclear, genuine), func(c *config.Config) {
			c.Comments.AlsoOn = []config.AlsoOn{config.OnFlaky, config.OnNotReproduced, config.OnUndecided}
		}), []config.Rung{config.Comment, config.Comment, config.Comment}, "No order-dependent test"},
		{"mixed", as(func(r *job.Report, _ *pullRequest) { r.Tests = append(r.Tests, genuine, flaky, absent, unclear, both) }),
			[]config.Rung{config.Suggestion, config.Comment}, "2 order-dependent tests, 2 causes; a proved change for 1 of the tests"},
		{"error", as(func(r *job.Report, _ *pullRequest) {
			*r = job.Report{Error: &job.Error{Code: "build-broken", Message: "the project does not compile",
				Hint: "fix the build until mvn test-compile succeeds", Detail: "A.java:[3,8] ';' expected\n"}}
		}), nil, "odfix could not find out: the project does not build"},
		{"unfinished", as(func(r *job.Report, _ *pullRequest) { r.Finished = false }), suggestion, "Order-dependent"},
		{"empty", only(), nil, "Nothing to look into"},
		{"brittle-no-patch", only(brittle), onPull, "needs SetupTest#fills"},
		{"victim-brittle-no-patch", only(both), onPull, "Order-dependent"},
		{"brittle", as(func(r *job.Report, _ *pullRequest) { patchFor(r, brittle) }), suggestion, "needs SetupTest#fills"},
		{"victim-brittle", as(func(r *job.Report, _ *pullRequest) { patchFor(r, both) }), suggestion, "needs SetupTest#fills"},
		{"victim-no-patch", as(func(r *job.Report, _ *pullRequest) {
			r.Tests[0].Patches, r.Tests[0].Cleaners = nil, nil
		}), onFile, "Order-dependent"},
		{"victim-unproved-patch", as(func(r *job.Report, _ *pullRequest) { r.Tests[0].Patches[0].Proof.Proved = false }),
			onFile, "Order-dependent"},
		{"many-victims-one-cause", as(func(r *job.Report, _ *pullRequest) {
			for _, id := range []suite.TestID{"a.A#1", "a.A#2", "a.A#3", "a.A#4"} {
				r.Tests = append(r.Tests, another(id))
				r.Tests[0].Patches[0].Fixes = append(r.Tests[0].Patches[0].Fixes, id)
			}
		}), suggestion, "5 order-dependent tests, 1 cause; a proved change for all"},
		{"victim-not-fixed", as(func(r *job.Report, _ *pullRequest) { r.Tests = append(r.Tests, another("a.A#1")) }),
			suggestion, "2 order-dependent tests, 1 cause"},
		{"two-patches-one-cause", as(func(r *job.Report, s *pullRequest) {
			s.head[receiptFile], s.patched[receiptFile] = "class ReceiptTest {\n}\n", "class ReceiptTest {\n    // patched\n}\n"
			other := another("a.A#1")
			other.Patches = []job.Patch{r.Tests[0].Patches[0]}
			other.Patches[0].SetDiff(onlyFile(s, receiptFile))
			other.Patches[0].Fixes = []suite.TestID{"a.A#1"}
			r.Tests[0].Patches[0].SetDiff(onlyFile(s, importerFile))
			r.Tests = append(r.Tests, other)
			r.Combined = &job.Combined{Fixes: []suite.TestID{receipt, "a.A#1"}, Proof: job.Proof{Proved: true}}
			tree := patch.Tree{Read: func(path string) (string, error) { return s.head[path], nil }, Proves: true}
			for _, x := range r.Tests {
				if err := tree.Add(x.Patches[0].RawDiff()); err != nil {
					panic(err)
				}
			}
			r.Combined.SetDiff(tree.Diff())
		}), suggestion, "2 order-dependent tests, 1 cause"},
		{"never-patch", configured(func(c *config.Config) { c.NeverPatch = []config.Path{"src/test/java/com/example/**"} }),
			onFile, "Order-dependent"},
		{"short", configured(func(c *config.Config) { c.Comments.Tone = config.Short }), suggestion, "Order-dependent"},
		{"short-comment", configured(func(c *config.Config) {
			c.Comments.Tone, c.Ladder = config.Short,
				[]config.Rung{config.Comment}
		}), onPull, "Order-dependent"},
		{"no-suggestions", configured(func(c *config.Config) {
			c.Ladder = []config.Rung{config.Comment,
				config.FileComment}
		}), onFile, "Order-dependent"},
		{"stacked", configured(func(c *config.Config) { c.Ladder = []config.Rung{config.Stacked} }),
			[]config.Rung{config.Stacked}, "Order-dependent"},
		{"commit", configured(func(c *config.Config) { c.Ladder = []config.Rung{config.Commit} }),
			[]config.Rung{config.Commit}, "Order-dependent"},
		{"check-only", configured(func(c *config.Config) { c.Ladder = []config.Rung{} }), nil, "Order-dependent"},
		{"long-patch", &pullRequest{base: texts{importerFile: "class A {\n}\n"},
			head: texts{importerFile: "class A {\n}\n", "README": "b\n"}, patched: texts{importerFile: long}}, onPull, "Order-dependent"},
		{"polluter-pair", as(func(r *job.Report, _ *pullRequest) {
			r.Tests[0].Polluters = []suite.Order{{"a.One#x", "a.Two#y"}}
			r.Tests[0].MinimalOrder = suite.Order{"a.One#x", "a.Two#y", receipt}
		}), suggestion, "fails after One#x + Two#y"},
		{"same-short-names", as(func(r *job.Report, _ *pullRequest) {
			r.Tests[0].Polluters = []suite.Order{{"org.other.ReceiptTest#printsTheTotal"}}
			r.Tests[0].MinimalOrder = suite.Order{"org.other.ReceiptTest#printsTheTotal", receipt}
		}), suggestion, "org.other.ReceiptTest#printsTheTotal"},
		{"long-order", as(func(r *job.Report, _ *pullRequest) {
			var o suite.Order
			for i := range 30 {
				o = append(o, suite.TestID("a.A#"+strings.Repeat("x", i+1)))
			}
			r.Tests[0].MinimalOrder, r.Tests[0].Polluters = append(o, receipt), []suite.Order{o}
		}), suggestion, "Order-dependent"},
		{"script-by-hand", as(func(r *job.Report, _ *pullRequest) {
			r.Tests[0].Reproduce[0].Dir, r.Tests[0].Reproduce[0].Line = "web",
				"(\nset -C\ncat > T.java <<'END' || exit 2\nclass T {}\nEND\nmvn test\n)"
		}), suggestion, "Order-dependent"},
	}
}

// patchFor makes the report's patch one for another test.
func patchFor(r *job.Report, t job.TestReport) {
	p := r.Tests[0].Patches[0]
	p.Location, p.Fixes, p.Why = patch.VictimSetup, []suite.TestID{t.Test},
		"the test's class sets its own state before every test, whatever ran before"
	t.Patches = []job.Patch{p}
	r.Tests = []job.TestReport{t}
}

func onlyFile(s *pullRequest, path string) string {
	one := *s
	one.patched = texts{path: s.patched[path]}
	return one.wanted()
}

func configuredWith(s *pullRequest, change func(*config.Config)) *pullRequest {
	s.config = change
	return s
}

// TestReports: which comments a report leads to, and their words.
func TestReports(t *testing.T) {
	for _, c := range reports() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := c.s.plan(t)
			var rungs []config.Rung
			for _, k := range p.Comments {
				rungs = append(rungs, k.Rung)
			}
			if !slices.Equal(rungs, c.comments) {
				t.Errorf("comments %v, want %v", rungs, c.comments)
			}
			if !strings.Contains(p.Check.Title, c.title) || p.Check.Conclusion != Neutral {
				t.Errorf("%s: %s", p.Check.Conclusion, p.Check.Title)
			}
			if len(c.comments) == 1 && len(c.s.report.Tests) > 0 && len(c.s.report.Tests[0].Patches) > 0 && c.name != "never-patch" {
				c.s.mechanics(t, p, c.s.whole())
			}
			within(t, p)
			if c.name != "long-patch" { // its check alone is 60 kilobytes
				golden(t, "report-"+c.name, shownAs(p))
			}
		})
	}
}

// whole is the head with all of the patched files.
func (pr *pullRequest) whole() texts {
	out := texts{}
	for _, files := range []texts{pr.head, pr.patched} {
		for path, text := range files {
			out[path] = text
		}
	}
	return out
}

// within holds a plan against GitHub's caps.
func within(t *testing.T, p Plan) {
	t.Helper()
	if len([]rune(p.Check.Title)) > 140 || len(p.Check.Summary) > 65535 || len(p.Check.Text) > 65535 {
		t.Errorf("check of %d, %d, %d", len(p.Check.Title), len(p.Check.Summary), len(p.Check.Text))
	}
	for i := range p.Comments {
		for k := &p.Comments[i]; k != nil; k = k.Below {
			bodies := []string{k.Body, k.Plain}
			for _, one := range k.Inline {
				bodies = append(bodies, one.Body)
			}
			if k.Fix != nil {
				bodies = append(bodies, k.Fix.Body)
			}
			for _, b := range bodies {
				if len(b) > 65536 {
					t.Errorf("a body of %d bytes on %s", len(b), k.Rung)
				}
				if _, ok := FindMarker(b); b != "" && !ok {
					t.Errorf("a body without a marker on %s:\n%s", k.Rung, b)
				}
			}
		}
	}
}
