package projecttest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/engine"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

// registry has production code that a change breaks such that its test fails only after another
// test, one that it makes brittle, and a test that depends on order whatever the code.
var registry = map[string]string{
	"a.sh":       "test fills\ncall fill.code\n",
	"b.sh":       "test looks\ncall look.code\n",
	"c.sh":       "test isEmpty\nwant registry=\n",
	"d.sh":       "test empties\nunset registry\n",
	"e.sh":       "test pays\ncall pay.code\n",
	"look.code":  "want registry=\n",
	"pay.code":   "want registry=full\n",
	"fill.code":  "set registry=full\n",
	"other.code": "set unused=2\n",
}

var registryOrder = []string{"e.sh pays", "a.sh fills", "b.sh looks", "c.sh isEmpty", "d.sh empties"}

func compared(t *testing.T, change func(j *job.Job), failing ...string) *job.Report {
	t.Helper()
	j := job.Job{Version: job.Version, Dir: t.TempDir(), Tests: failing,
		Order: &job.ObservedOrder{Source: "ci", Provenance: suite.Exact, Tests: registryOrder, Failed: failing}}
	change(&j)
	r := engine.Run(t.Context(), j, engine.Options{Languages: []project.Language{Shell{Files: registry}}, Version: "test", Log: zap.NewNop(),
		Progress: func(job.Event) {}})
	if r.Error != nil {
		t.Fatal(r.Error)
	}
	return r
}

func verdictsOf(r *job.Report) (out []suite.Verdict) {
	for _, t := range r.Tests {
		out = append(out, t.Verdict)
	}
	return out
}

// A test that passes in the failing order without the change of production code is a regression, and
// gets no patch. One that fails without the change, too, depends on order.
func TestRegressions(t *testing.T) {
	failing := []string{"b.sh looks", "c.sh isEmpty", "e.sh pays"}
	known := []suite.Verdict{suite.Victim, suite.Victim, suite.VictimBrittle}
	worked := patch.OfFile("look.code", "@@ -1 +1 @@\n-refuse registry=odd\n+want registry=", patch.Edits) +
		patch.OfFile("pay.code", "@@ -1 +1 @@\n-refuse registry=odd\n+want registry=full", patch.Edits)
	for name, c := range map[string]struct {
		change string
		want   []suite.Verdict
		note   string // a part of the report's last note
	}{
		"no change":  {"", known, ""},
		"the reason": {worked, []suite.Verdict{suite.Regression, suite.Victim, suite.Regression}, ""},
		"the polluter fails without the change": {
			patch.OfFile("fill.code", "@@ -1 +1 @@\n-want registry=odd\n+set registry=full", patch.Edits), known, ""},
		"another file":           {patch.OfFile("other.code", "@@ -1 +1 @@\n-set unused=1\n+set unused=2", patch.Edits), known, ""},
		"a test only":            {patch.OfFile("b.sh", "@@ -1,2 +1,2 @@\n test looks\n-want never=\n+call look.code", patch.Edits), known, ""},
		"does not build without": {patch.OfFile("other.code", "@@ -1 +1 @@\n-broken\n+set unused=2", patch.Edits), known, "other.code is broken."},
	} {
		r := compared(t, func(j *job.Job) { j.Change = []byte(c.change) }, failing...)
		if got := verdictsOf(r); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		for _, test := range r.Tests {
			if of := test.Verdict; of.OrderDependent() != (len(test.Patches) > 0) {
				t.Errorf("%s: %s is a %s with %d patches: %q", name, test.Test, of, len(test.Patches), test.Notes)
			}
			if test.Verdict == suite.Regression && (!strings.Contains(test.Reason, ".code") || len(test.MinimalOrder) == 0 && test.Test != "e.sh pays") {
				t.Errorf("%s: %q, order %v", name, test.Reason, test.MinimalOrder)
			}
		}
		if has := len(r.Notes) > 0 && strings.Contains(r.Notes[len(r.Notes)-1], "before the change"); has != (c.note != "") ||
			has && !strings.HasSuffix(r.Notes[len(r.Notes)-1], c.note) {
			t.Errorf("%s: notes %q", name, r.Notes)
		}
	}
}

// In a checkout of git, the change is that since a revision.
func TestRegressionSinceARevision(t *testing.T) {
	r := compared(t, func(j *job.Job) {
		git := func(args ...string) {
			t.Helper()
			args = append([]string{"-C", j.Dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)
			if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
				t.Fatalf("git %v: %v\n%s", args, err, out)
			}
		}
		put := func(text string) {
			t.Helper()
			if err := os.WriteFile(filepath.Join(j.Dir, "look.code"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		git("init", "-q")
		put("want never=\n")
		git("add", "-A")
		git("commit", "-q", "-m", "worked")
		put(registry["look.code"])
		j.ChangedSince = "HEAD"
	}, "b.sh looks")
	if got := verdictsOf(r); !slices.Equal(got, []suite.Verdict{suite.Regression}) {
		t.Errorf("%v: %q", got, r.Tests[0].Reason)
	}
}
