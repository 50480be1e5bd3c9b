package fix

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/engine/enginetest"
	"github.com/odfix/odfix/internal/engine/restore"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// configurable is a project with settings. A test fails after a polluter of its class, unless the
// setting restores what this polluter leaves.
type configurable struct {
	enginetest.StandIn
	restores map[string][]suite.TestID // by setting
	breaks   map[string]suite.TestID   // the test that each setting breaks
	tried    *[]string
	ran      *int // orders that ran with a setting
}

func (c configurable) Settings(fields []string) []string {
	if !slices.Contains(fields, "mock") {
		return nil
	}
	return []string{"resetMocks: true", "clearMocks: true", "restoreMocks: true", "unknown: true"}
}

func (c configurable) Configured(setting string) (repair.Site, error) {
	*c.tried = append(*c.tried, setting)
	return configuredSite{c, setting}, nil
}

type configuredSite struct {
	c       configurable
	setting string
}

func (s configuredSite) Run(_ context.Context, o suite.Order) (*suite.Run, error) {
	*s.c.ran++
	return polluted(o, s.c.restores[s.setting], s.c.breaks[s.setting]), nil
}
func (s configuredSite) Alone() repair.Site { return s }
func (s configuredSite) Parallel() int      { return 1 }
func (s configuredSite) Close() error       { return nil }

// polluted runs an order in which a.A#victim1 fails after a.A#polluter1, and so on.
func polluted(o suite.Order, restored []suite.TestID, broken suite.TestID) *suite.Run {
	run := &suite.Run{Order: o, Price: suite.Fresh}
	for i, t := range o {
		r := suite.Result{Test: t, Position: i, Outcome: suite.Pass}
		by := suite.TestID(strings.Replace(string(t), "victim", "polluter", 1))
		if t == broken || t != by && o[:i].Index(by) >= 0 && !slices.Contains(restored, by) {
			r.Outcome = suite.Fail
		}
		run.Results = append(run.Results, r)
	}
	return run
}

// TestAlternative: the mildest setting is named that fixes as many causes as the best patch and
// breaks nothing.
func TestAlternative(t *testing.T) {
	const p1, v1, p2, v2, other = suite.TestID("a.A#polluter1"), suite.TestID("a.A#victim1"), suite.TestID("a.A#polluter2"),
		suite.TestID("a.A#victim2"), suite.TestID("a.A#other")
	original := suite.Order{v1, v2, other, p1, p2}
	both := []suite.TestID{p1, p2}
	for name, c := range map[string]struct {
		restores map[string][]suite.TestID
		breaks   map[string]suite.TestID
		fixes    []suite.TestID // by one patch
		state    string
		want     string
		tried    []string
	}{
		"the mildest": {restores: map[string][]suite.TestID{"clearMocks: true": both, "resetMocks: true": both}, state: "mock",
			fixes: []suite.TestID{v1, v2}, want: "clearMocks: true", tried: []string{"clearMocks: true"}},
		"one that breaks nothing": {restores: map[string][]suite.TestID{"clearMocks: true": both, "restoreMocks: true": both},
			breaks: map[string]suite.TestID{"clearMocks: true": other}, state: "mock", fixes: []suite.TestID{v1, v2},
			want: "restoreMocks: true", tried: []string{"clearMocks: true", "restoreMocks: true"}},
		"one that does what does harm": {restores: map[string][]suite.TestID{"clearMocks: true": both, "resetMocks: true": both},
			breaks: map[string]suite.TestID{"clearMocks: true": other}, state: "mock", fixes: []suite.TestID{v1, v2},
			tried: []string{"clearMocks: true", "restoreMocks: true"}},
		"one that does other harm": {restores: map[string][]suite.TestID{"restoreMocks: true": both, "resetMocks: true": both},
			breaks: map[string]suite.TestID{"restoreMocks: true": other}, state: "mock", fixes: []suite.TestID{v1, v2},
			want: "resetMocks: true", tried: []string{"clearMocks: true", "restoreMocks: true", "resetMocks: true"}},
		"less than a patch": {restores: map[string][]suite.TestID{"clearMocks: true": {p1}}, state: "mock", fixes: []suite.TestID{v1, v2},
			tried: []string{"clearMocks: true", "restoreMocks: true", "resetMocks: true"}},
		"as much as a patch": {restores: map[string][]suite.TestID{"clearMocks: true": {p1}}, state: "mock", fixes: []suite.TestID{v1},
			want: "clearMocks: true", tried: []string{"clearMocks: true"}},
		"no patch":    {restores: map[string][]suite.TestID{"clearMocks: true": {p1}}, state: "mock", want: "clearMocks: true", tried: []string{"clearMocks: true"}},
		"other state": {restores: map[string][]suite.TestID{"clearMocks: true": both}, state: "field"},
	} {
		t.Run(name, func(t *testing.T) {
			var tried []string
			ran := 0
			plainRun := func(o suite.Order) *suite.Run { return polluted(o, nil, "") }
			base := configurable{StandIn: enginetest.StandIn{Answer: plainRun}, restores: c.restores, breaks: c.breaks, tried: &tried, ran: &ran}
			r := &job.Report{}
			for _, pair := range [][2]suite.TestID{{p1, v1}, {p2, v2}} {
				x := job.TestReport{Test: pair[1], Verdict: suite.Victim, MinimalOrder: suite.Order{pair[0], pair[1]},
					Polluters: []suite.Order{{pair[0]}}, State: []string{c.state}}
				if slices.Contains(c.fixes, pair[1]) {
					x.Patches = []job.Patch{{Fixes: c.fixes, Proof: job.Proof{Proved: true}}}
				}
				r.Tests = append(r.Tests, x)
			}
			root := &suite.Node{Children: []*suite.Node{{Name: "a.A"}}}
			for _, test := range original {
				root.Children[0].Children = append(root.Children[0].Children, &suite.Node{Test: test})
			}
			p := &session.Module{Lab: &session.Lab{Base: base, Original: original},
				Groups: suite.NewGroups(&suite.Suite{Root: root}, junitid.Syntax{})}
			m := &Repairing{s: session.New(job.Job{}, session.Options{}), p: p, r: r,
				in: &diagnose.Input{Rerun: 2}, search: restore.New(nil, nil)}
			if err := m.alternative(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(tried, c.tried) {
				t.Errorf("tried %v, not %v", tried, c.tried)
			}
			// Each failing order with each setting; the whole order with clearMocks, and once more with
			// no other process.
			if name == "one that does what does harm" && ran != 2*2+2 {
				t.Errorf("%d orders ran", ran)
			}
			switch a := r.Alternative; {
			case a == nil && c.want == "":
			case a == nil || a.Setting != c.want || !a.Proof.Proved || len(a.Proof.Checks) < 4:
				t.Errorf("%+v, not %s", a, c.want)
			case len(a.Fixes) != len(c.restores[c.want]):
				t.Errorf("fixes %v", a.Fixes)
			}
		})
	}
}
