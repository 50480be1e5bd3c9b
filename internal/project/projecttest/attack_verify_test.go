package projecttest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/engine"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// forged is a patch that a forged report says is proved: a line at a place of a file, made of the
// first statement of a helper.
type forged struct {
	file, after, line string
	helper            suite.TestID
	location          patch.Location
	at, fixes         suite.TestID
}

func (f forged) of(files map[string]string) job.Patch {
	p := job.Patch{Kind: job.FromHelper, Location: f.location, Style: patch.Inline, Helper: suite.Order{f.helper}, StatementIDs: []string{"0"},
		At: f.at, Fixes: []suite.TestID{f.fixes}, Files: []string{f.file}, Proof: job.Proof{Proved: true}}
	p.SetDiff(patch.Unified(patch.Edit{Path: f.file, Before: files[f.file],
		After: strings.Replace(files[f.file], f.after, f.after+f.line, 1)}))
	return p
}

// verified is what a second runner says of a report, whose orders are those of the server's job.
func verified(t *testing.T, files map[string]string, r *job.Report, ci suite.Order) *job.Report {
	t.Helper()
	r.Version = job.Version
	r.Tidy()
	j := job.Job{Version: job.Version, Kind: job.KindVerify, Dir: t.TempDir(), Parallel: 1, Report: r}
	if ci != nil {
		j.Order = &job.ObservedOrder{Source: "CI", Provenance: suite.Exact}
		for _, c := range ci {
			j.Order.Tests = append(j.Order.Tests, string(c))
		}
	}
	out := engine.Run(t.Context(), j, options(observed(files), func(job.Event) {}))
	if out.Error != nil {
		t.Fatal(out.Error)
	}
	return out
}

// TestAttackTogether: each of two patches works alone. Together one of them breaks what the other one
// fixes, in an order that only a cohort, or only the second patch, has. They are not proved together.
func TestAttackTogether(t *testing.T) {
	files := map[string]string{"z.sh": "test q\nset one=1\n", "b.sh": "test b\nrefuse one=1\nrefuse one=0\n",
		"c.sh": "test a\nrefuse one=1\n", "h.sh": "test zero\nset one=0\n", "i.sh": "test clears\nunset one\n"}
	order := suite.Order{"z.sh q", "c.sh a", "b.sh b"}
	for name, cohort := range map[string]bool{"the order of a cohort": true, "an order that a patch was widened for": false} {
		t.Run(name, func(t *testing.T) {
			patches := []job.Patch{
				forged{"c.sh", "test a\n", "set one=0\n", "h.sh zero", patch.VictimStart, "c.sh a", "c.sh a"}.of(files),
				forged{"z.sh", "set one=1\n", "unset one\n", "i.sh clears", patch.PolluterEnd, "z.sh q", "b.sh b"}.of(files),
			}
			if !cohort {
				patches[1].WidenedFor = []suite.Order{order}
			}
			r := bothPatches(t, files, patches)
			if cohort {
				r.Tests[1].MinimalOrder = nil // it failed only together with others
				r.Cohorts = []job.Cohort{{Tests: []suite.TestID{"b.sh b"}, Cause: order[:1], Failing: order, Passing: order[1:]}}
			}
			out := verified(t, files, r, nil)
			for _, c := range out.Tests {
				if !c.Patches[0].Proof.Proved {
					t.Errorf("%s by itself: %+v", c.Test, c.Patches[0].Proof)
				}
			}
			if out.Combined.Proof.Proved {
				t.Errorf("together: %+v", out.Combined.Proof.Checks)
			}
		})
	}
}

// TestAttackTogetherInTheFile: the same in an order of the tests of one file, in which both patches are
// proved by themselves.
func TestAttackTogetherInTheFile(t *testing.T) {
	files := map[string]string{"z.sh": "test q\nset one=1\n", "c.sh": "test b\nrefuse one=1\nrefuse one=0\ntest a\nrefuse one=1\n",
		"h.sh": "test zero\nset one=0\n", "i.sh": "test clears\nunset one\n"}
	out := verified(t, files, bothPatches(t, files, []job.Patch{
		forged{"c.sh", "test a\n", "set one=0\n", "h.sh zero", patch.VictimStart, "c.sh a", "c.sh a"}.of(files),
		forged{"z.sh", "set one=1\n", "unset one\n", "i.sh clears", patch.PolluterEnd, "z.sh q", "c.sh b"}.of(files),
	}), nil)
	if out.Combined.Proof.Proved {
		t.Errorf("together: %+v", out.Combined.Proof.Checks)
	}
}

// bothPatches is a report with patches for victims of z.sh q, and with all of them as one.
func bothPatches(t *testing.T, files map[string]string, patches []job.Patch) *job.Report {
	t.Helper()
	r := &job.Report{Combined: &job.Combined{Proof: job.Proof{Proved: true}}}
	tree := patch.Tree{Read: func(path string) (string, error) { return files[path], nil }, Proves: true}
	for _, p := range patches {
		if err := tree.Add(p.RawDiff()); err != nil {
			t.Fatal(err)
		}
		r.Combined.Fixes = append(r.Combined.Fixes, p.Fixes...)
		r.Tests = append(r.Tests, job.TestReport{Test: p.Fixes[0], Verdict: suite.Victim, Polluters: []suite.Order{{"z.sh q"}},
			MinimalOrder: suite.Order{"z.sh q", p.Fixes[0]}, Patches: []job.Patch{p}})
	}
	r.Combined.SetDiff(tree.Diff())
	return r
}

// TestAttackOrderOfCI: a test failed in CI after two polluters of different state. The report names one
// of them, and leaves out CI's order, or gives another one. The server knows that order, and the second
// runner runs it.
func TestAttackOrderOfCI(t *testing.T) {
	files := map[string]string{"y.sh": "test q2\nset two=1\nrefuse calm=1\nexit\n", "m.sh": "test m\nset calm=1\n", "z.sh": "test q\nset one=1\n", "c.sh": "test v\nrefuse one=1\nrefuse two=1\n",
		"d.sh": "test clears\nunset one\n"}
	ci := suite.Order{"m.sh m", "z.sh q", "y.sh q2", "c.sh v"} // alone, q2 ends its process
	other := &suite.Seen{Source: "CI", Provenance: suite.Exact, Order: suite.Order{"z.sh q", "c.sh v"}}
	for name, c := range map[string]struct {
		says    *suite.Seen
		leftOut suite.Order
		ci      suite.Order
		proved  bool
	}{
		"left out":                 {nil, nil, ci, false},
		"another one":              {other, nil, ci, false},
		"a polluter is left out":   {nil, suite.Order{"y.sh q2"}, ci, false},
		"the server has none":      {other, nil, nil, true},
		"the one of the report is": {other, nil, other.Order, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := forged{"c.sh", "test v\n", "unset one\n", "d.sh clears", patch.VictimStart, "c.sh v", "c.sh v"}.of(files)
			out := verified(t, files, &job.Report{Observed: c.says, LeftOut: c.leftOut, Tests: []job.TestReport{{Test: "c.sh v", Verdict: suite.Victim,
				Polluters: []suite.Order{{"z.sh q"}}, MinimalOrder: suite.Order{"z.sh q", "c.sh v"}, Patches: []job.Patch{p}}}}, c.ci)
			if got := out.Tests[0].Patches[0].Proof; got.Proved != c.proved {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestAttackHiddenByOthers: a patch repairs a test after one of its polluters only. Its proof would show
// the other one, directly before it. The report adds a test of another file, after which that one does no
// harm. Orders of several files share no process in the second runner.
func TestAttackHiddenByOthers(t *testing.T) {
	files := map[string]string{"z.sh": "test q\nset one=1\n", "c.sh": "test x\nrefuse mask=1\nset bad=1\ntest b\nrefuse one=1\nrefuse bad=1\n",
		"b.sh": "test d1\nrefuse one=1\nset mask=1\ntest d2\n", "i.sh": "test clears\nunset one\n"}
	for _, fixes := range []suite.Order{{"c.sh b"}, {"b.sh d1", "c.sh b"}} {
		p := forged{"z.sh", "set one=1\n", "unset one\n", "i.sh clears", patch.PolluterEnd, "z.sh q", "c.sh b"}.of(files)
		p.Fixes = fixes
		r := &job.Report{}
		for _, v := range fixes {
			r.Tests = append(r.Tests, job.TestReport{Test: v, Verdict: suite.Victim, Polluters: []suite.Order{{"z.sh q"}},
				MinimalOrder: suite.Order{"z.sh q", v}})
		}
		r.Tests[0].Patches = []job.Patch{p}
		if got := verified(t, files, r, nil).Tests[0].Patches[0].Proof; got.Proved {
			t.Errorf("%v: %+v", fixes, got.Checks)
		}
	}
}

// TestAttackHiddenTogether: the same of patches that are proved together: the third one makes a test
// harmless that fails the second one's test once the first one is there.
func TestAttackHiddenTogether(t *testing.T) {
	files := map[string]string{"z.sh": "test q\nset one=1\nset two=1\n",
		"c.sh": "test x\nrefuse mask=1\nwant one=0\nset bad=1\ntest b\nrefuse one=1\nrefuse bad=1\nunset one\ntest a\nrefuse one=1\n",
		"b.sh": "test d1\nrefuse two=1\nset mask=1\ntest d2\n", "h.sh": "test zero\nset one=0\n", "i.sh": "test clears\nunset one\n",
		"j.sh": "test also\nunset two\n"}
	out := verified(t, files, bothPatches(t, files, []job.Patch{
		forged{"c.sh", "test a\n", "set one=0\n", "h.sh zero", patch.VictimStart, "c.sh a", "c.sh a"}.of(files),
		forged{"b.sh", "test d1\n", "unset two\n", "j.sh also", patch.VictimStart, "b.sh d1", "b.sh d1"}.of(files),
		forged{"z.sh", "set two=1\n", "unset one\n", "i.sh clears", patch.PolluterEnd, "z.sh q", "c.sh b"}.of(files),
	}), nil)
	for _, c := range out.Tests {
		if !c.Patches[0].Proof.Proved {
			t.Errorf("%s by itself: %+v", c.Test, c.Patches[0].Proof.Checks)
		}
	}
	if out.Combined.Proof.Proved {
		t.Errorf("together: %+v", out.Combined.Proof.Checks)
	}
}

// TestAttackMade: statements that no test holds could be any code, and what a report says of them any
// text. The second runner proposes statements itself, for the causes of the patch's tests, and takes no
// others. It describes the patch with the words of its own proposal.
func TestAttackMade(t *testing.T) {
	files := map[string]string{"z.sh": "test q\nset one=1\n", "c.sh": "test v\nrefuse one=1\n", "d.sh": "test other\nset two=1\n"}
	for name, c := range map[string]struct {
		made   patch.Made
		keep   []string
		lines  string
		proved bool
		says   string
	}{
		"one that odfix proposes": {patch.Made{Resets: "text of a stranger", Statements: []string{"unset one"}}, []string{"0.0"}, "unset one\n", true, ""},
		"another one":             {patch.Made{Resets: "variable.one", Statements: []string{"set one=2"}}, []string{"0.0"}, "set one=2\n", false, "odfix does not propose it for these tests here: set one=2"},
		"none":                    {patch.Made{Resets: "variable.one", Statements: []string{"unset one"}}, nil, "unset one\n", false, "does not say which statements"},
		"two in one":              {patch.Made{Resets: "variable.one", Statements: []string{"unset one\nset two=1"}}, []string{"0.0"}, "unset one\nset two=1\n", false, ""},
		"for other state":         {patch.Made{Resets: "variable.two", Statements: []string{"unset two", "unset one"}}, []string{"0.1"}, "unset one\n", false, ""},
		"with an import":          {patch.Made{Statements: []string{"unset one"}, Imports: []patch.Import{{Name: "x", Module: "d.sh"}}}, []string{"0.0"}, "unset one\n", false, ""},
		"with a kept value":       {patch.Made{Statements: []string{"unset one"}, Fields: []string{"set two=2"}}, []string{"0.1"}, "unset one\n", false, ""},
		"with an annotation":      {patch.Made{Statements: []string{"unset one"}, Annotate: []string{"a.Skip"}}, []string{"0.0"}, "unset one\n", false, ""},
		"with an unshared field":  {patch.Made{Statements: []string{"unset one"}, Unshare: []string{"variable.one"}}, []string{"0.0"}, "unset one\n", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := job.Patch{Kind: job.FromReset, Location: patch.VictimStart, Style: patch.Inline, Made: &c.made, StatementIDs: c.keep,
				Why: "see elsewhere", At: "c.sh v", Fixes: suite.Order{"c.sh v"}, Files: []string{"c.sh"}, Proof: job.Proof{Proved: true}}
			p.SetDiff(patch.Unified(patch.Edit{Path: "c.sh", Before: files["c.sh"], After: strings.Replace(files["c.sh"], "test v\n", "test v\n"+c.lines, 1)}))
			out := verified(t, files, &job.Report{Tests: []job.TestReport{{Test: "c.sh v", Verdict: suite.Victim,
				Polluters: []suite.Order{{"z.sh q"}}, MinimalOrder: suite.Order{"z.sh q", "c.sh v"}, Patches: []job.Patch{p}}}}, nil)
			got := out.Tests[0].Patches[0]
			if got.Proof.Proved != c.proved {
				t.Errorf("%+v", got.Proof)
			}
			if why := fmt.Sprint(got.Proof.Checks, out.Tests[0].Notes, out.Notes); !strings.Contains(why, c.says) {
				t.Errorf("not said: %s\n%s", c.says, why)
			}
			if c.proved && (strings.Contains(got.Why, "elsewhere") || got.Made.Resets != "variable.one") {
				t.Errorf("described as %q, which restores %q", got.Why, got.Made.Resets)
			}
		})
	}
}
