package projecttest

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/engine"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

// house is a project of the shell language with two causes, and a helper for each.
var house = Shell{Files: map[string]string{
	"a.sh": "test paints\nset colour=red\n",
	"b.sh": "test boils\nset water=hot\n",
	"c.sh": "test washes\nunset colour\n",
	"d.sh": "test cools\nunset water\n",
	"e.sh": "test isBare\nwant colour=\n",
	"f.sh": "test isCold\nwant water=\n",
	"g.sh": "test isBareToo\nwant colour=\n",
}}

// houseJob is a job for the tests that fail in an order without a helper between them.
func houseJob(t *testing.T) job.Job {
	t.Helper()
	return job.Job{
		Version: job.Version, Kind: job.KindFix, Dir: t.TempDir(), Tests: []string{"e.sh isBare", "f.sh isCold", "g.sh isBareToo"},
		Order: &job.ObservedOrder{Source: "ci", Provenance: "exact", Tests: []string{
			"a.sh paints", "b.sh boils", "e.sh isBare", "f.sh isCold", "g.sh isBareToo", "c.sh washes", "d.sh cools",
		}},
	}
}

// TestOneCauseIsFixedBeforeTheNext checks that the first cause has a proved patch before the second
// is diagnosed, that each test has one patch, and that all patches are proved as one.
func TestOneCauseIsFixedBeforeTheNext(t *testing.T) {
	var mu sync.Mutex
	var phases []string
	tell := func(e job.Event) {
		mu.Lock()
		defer mu.Unlock()
		if n := len(phases); n == 0 || phases[n-1] != e.Phase {
			phases = append(phases, e.Phase)
		}
	}
	r := engine.Run(t.Context(), houseJob(t),
		engine.Options{Languages: []project.Language{house}, Version: "test", Log: zap.NewNop(), Progress: tell})
	if r.Error != nil || len(r.Tests) != 3 {
		t.Fatalf("%+v, %v", r.Error, r.Tests)
	}
	want := map[suite.TestID]string{"e.sh isBare": "unset colour", "f.sh isCold": "unset water", "g.sh isBareToo": "unset colour"}
	for i, got := range r.Tests {
		if p := got.Patches; len(p) != 1 || !p[0].Proof.Proved || !slices.Equal(p[0].Statements, []string{want[got.Test]}) {
			t.Errorf("%s (%s): patches %+v, notes %v", got.Test, got.Verdict, p, got.Notes)
		}
		if asked := []suite.TestID{"e.sh isBare", "f.sh isCold", "g.sh isBareToo"}; got.Test != asked[i] {
			t.Errorf("test %d is %s", i, got.Test)
		}
	}
	if r.Combined == nil || !r.Combined.Proof.Proved || len(r.Combined.Fixes) != 3 {
		t.Errorf("combined: %+v", r.Combined)
	}
	said := strings.Join(phases, " ")
	proved, again := strings.Index(said, job.PhaseProve), strings.LastIndex(said, job.PhaseDiagnose)
	if proved < 0 || again < proved {
		t.Errorf("no cause was proved before the diagnosis of the next: %s", said)
	}
}

// withoutEditor is a language whose sources cannot be edited because of an unexpected error.
type withoutEditor struct{ Shell }

func (l withoutEditor) Open(ctx context.Context, o project.Options) (project.Project, error) {
	p, err := l.Shell.Open(ctx, o)
	return brokenEditor{p.(*shell)}, err
}

type brokenEditor struct{ *shell }

func (brokenEditor) Editor(context.Context) (project.Editor, error) {
	return nil, &project.Error{Code: "disk-full", Message: "no space is left", Hint: "Free some."}
}

// TestNamedTestsThatPass checks that a named test passes only if no source says that it failed.
func TestNamedTestsThatPass(t *testing.T) {
	for name, failed := range map[string][]string{"named": nil, "failed elsewhere": {"e.sh isBare", "b.sh boils"}} {
		j := houseJob(t)
		j.Tests, j.Order.Failed = []string{"e.sh isBare", "b.sh boils"}, failed
		r := engine.Run(t.Context(), j, engine.Options{Languages: []project.Language{house}, Version: "test", Log: zap.NewNop(),
			Progress: func(job.Event) {}})
		if r.Error != nil || len(r.Tests) != 2 {
			t.Fatalf("%+v, %v", r.Error, r.Tests)
		}
		for _, got := range r.Tests {
			if want := got.Test == "b.sh boils" && failed == nil; got.Passes != want {
				t.Errorf("%s: %s, %s, passes: %v", name, got.Test, got.Verdict, got.Passes)
			}
		}
	}
}

// TestPlaceOfPatches checks that patches are in the place that the job allows. Where none can be,
// the tests still get their verdicts, and a note says that other places were not tried.
func TestPlaceOfPatches(t *testing.T) {
	for _, place := range []patch.Location{patch.VictimStart, patch.PolluterTeardown} {
		j := houseJob(t)
		j.Place = place
		r := engine.Run(t.Context(), j, engine.Options{Languages: []project.Language{house}, Version: "test", Log: zap.NewNop(),
			Progress: func(job.Event) {}})
		if r.Error != nil || len(r.Tests) != 3 {
			t.Fatalf("%+v, %v", r.Error, r.Tests)
		}
		for _, got := range r.Tests {
			notes := strings.Join(got.Notes, " ")
			possible := place == patch.VictimStart // files of the shell have no teardown
			switch {
			case got.Verdict != suite.Victim || len(got.Polluters) == 0:
				t.Errorf("%s, %s: %s", place, got.Test, got.Verdict)
			case possible && (len(got.Patches) != 1 || got.Patches[0].Location != place || strings.Contains(notes, "not tried")):
				t.Errorf("%s, %s: %v, %s", place, got.Test, got.Patches, notes)
			case !possible && (len(got.Patches) > 0 || !strings.Contains(notes, "Only polluter-teardown was tried") ||
				!strings.Contains(notes, "Other places were not tried.")):
				t.Errorf("%s, %s: %v, %s", place, got.Test, got.Patches, notes)
			}
		}
	}
}

// TestChoice checks that a job can ask for a second proved patch, which is in another place and
// never the best one of a test. A job that does not ask gets one patch.
func TestChoice(t *testing.T) {
	for _, choice := range []bool{false, true} {
		j := houseJob(t)
		j.Choice = choice
		r := engine.Run(t.Context(), j, engine.Options{Languages: []project.Language{house}, Version: "test", Log: zap.NewNop(),
			Progress: func(job.Event) {}})
		if r.Error != nil || len(r.Tests) != 3 {
			t.Fatalf("%+v, %v", r.Error, r.Tests)
		}
		second := 0
		for _, got := range r.Tests {
			if best := r.Proved(got.Test); best == nil || best.Location != patch.PolluterEnd {
				t.Errorf("choice %v, %s: best %+v", choice, got.Test, best)
			}
			for _, p := range got.Patches[1:] {
				second++
				if !p.Proof.Proved || p.Location != patch.VictimStart || p.RawDiff() == got.Patches[0].RawDiff() ||
					!slices.Equal(p.Fixes, got.Patches[0].Fixes) {
					t.Errorf("%s: the second patch is %+v", got.Test, p)
				}
			}
		}
		if want := map[bool]int{true: 3}[choice]; second != want { // one for two tests of two files, and one for the third
			t.Errorf("choice %v: %d second patches", choice, second)
		}
	}
}

// TestVerdictsSurviveABrokenRepair checks that all tests have verdicts if no patch can be made, and
// that the report names the error.
func TestVerdictsSurviveABrokenRepair(t *testing.T) {
	r := engine.Run(t.Context(), houseJob(t),
		engine.Options{Languages: []project.Language{withoutEditor{house}}, Version: "test", Log: zap.NewNop(),
			Progress: func(job.Event) {}})
	for _, got := range r.Tests {
		if got.Verdict != suite.Victim || len(got.Polluters) == 0 {
			t.Errorf("%s is %s: %s", got.Test, got.Verdict, got.Reason)
		}
	}
	if len(r.Tests) != 3 || r.Error == nil || !strings.Contains(r.Error.Message, "no space is left") {
		t.Errorf("%d tests, error %+v", len(r.Tests), r.Error)
	}
}

// unobservable is a language whose observation fails, for example because it takes too long.
type unobservable struct{ Shell }

func (l unobservable) Open(ctx context.Context, o project.Options) (project.Project, error) {
	p, err := l.Shell.Open(ctx, o)
	return brokenObserver{observedShell{p.(*shell)}}, err
}

type brokenObserver struct{ observedShell }

func (brokenObserver) Observe(context.Context, suite.Order, project.Look) (*project.Observation, error) {
	return nil, context.DeadlineExceeded
}

func (b brokenObserver) Editor(ctx context.Context) (project.Editor, error) {
	e, err := b.shell.Editor(ctx)
	return readingEditor{e}, err
}

// readingEditor proposes a statement from the sources alone.
type readingEditor struct{ project.Editor }

func (readingEditor) Resets(context.Context, project.ResetQuery) (*project.Resets, error) {
	return &project.Resets{Made: []patch.Made{{Resets: "colour", Statements: []string{"unset colour"}}}}, nil
}

// TestResetsWithoutObservation checks that statements from the sources are tried if observation
// fails and there is no helper.
func TestResetsWithoutObservation(t *testing.T) {
	l := unobservable{Shell{Files: map[string]string{"a.sh": "test paints\nset colour=red\n", "e.sh": "test isBare\nwant colour=\n"}}}
	r := engine.Run(t.Context(), job.Job{
		Version: job.Version, Kind: job.KindFix, Dir: t.TempDir(), Tests: []string{"e.sh isBare"},
		Order: &job.ObservedOrder{Source: "ci", Provenance: "exact", Tests: []string{"a.sh paints", "e.sh isBare"}},
	}, engine.Options{Languages: []project.Language{l}, Version: "test", Log: zap.NewNop(), Progress: func(job.Event) {}})
	if r.Error != nil || len(r.Tests) != 1 || len(r.Tests[0].Patches) != 1 || !r.Tests[0].Patches[0].Proof.Proved {
		t.Errorf("%+v, %+v", r.Error, r.Tests)
	}
}
