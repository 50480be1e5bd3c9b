package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// loading is an observer of a language with static initialisers. The last test of an order passes if the
// needed class is initialised first, and fails otherwise.
type loading struct {
	standIn
	groups *suite.Groups
	needs  string // a class; "": nothing helps
	flaky  bool   // it helps the first time only
	orders []string
	helped int
}

func (l *loading) Observe(_ context.Context, o suite.Order, _ project.Look) (*project.Observation, error) {
	trace := state.NewTrace(o, l.groups)
	for _, c := range []string{"p.Keeps", "p.Other", "lib.Cache"} {
		trace.Initialised(c)
	}
	trace.Segment(state.Segment{Kind: 't'})
	return &project.Observation{Trace: trace}, nil
}

func (l *loading) RunInitialised(_ context.Context, o suite.Order, classes []string) (*suite.Run, error) {
	l.orders = append(l.orders, strings.Join(strings.Fields(string(o[0])+" "+string(o[len(o)-1])), " "))
	outcome := suite.Fail
	if slices.Contains(classes, l.needs) && (!l.flaky || l.helped == 0) {
		outcome = suite.Pass
		l.helped++
	}
	run := &suite.Run{Order: o}
	for i, t := range o {
		run.Results = append(run.Results, suite.Result{Test: t, Outcome: suite.Pass, Position: i})
	}
	run.Results[len(o)-1].Outcome = outcome
	return run, nil
}

// TestWhenClassesAreInitialised: the class is named whose early initialisation makes a victim pass after its
// polluter, or a brittle test pass alone.
func TestWhenClassesAreInitialised(t *testing.T) {
	for name, c := range map[string]struct {
		verdict suite.Verdict
		needs   string
		flaky   bool
		said    string // a part of the note; "": there is none
		first   string // the order that runs
	}{
		"of the project": {suite.Victim, "p.Keeps", false, "it passes if p.Keeps is initialised before p.P#p runs.", "p.P#p v.V#v"},
		"of a library":   {suite.Victim, "lib.Cache", false, "it passes if lib.Cache is initialised before p.P#p runs.", "p.P#p v.V#v"},
		"brittle":        {suite.Brittle, "p.Other", false, "it passes alone if p.Other is initialised before it.", "v.V#v v.V#v"},
		"none":           {suite.Victim, "", false, "", "p.P#p v.V#v"},
		"only once":      {suite.Victim, "p.Keeps", true, "", "p.P#p v.V#v"},
	} {
		groups := suite.NewGroups(&suite.Suite{Root: &suite.Node{}}, junitid.Syntax{})
		at := &loading{groups: groups, needs: c.needs, flaky: c.flaky, standIn: standIn{origin: func(field string, _ suite.TestID) project.Origin {
			if strings.HasPrefix(field, "lib.") {
				return project.Library
			}
			return project.Own
		}}}
		w := &worker{log: zap.NewNop()}
		h := stateSearch{p: &module{lab: &lab{base: at}, groups: groups}, at: at, cause: suite.Order{"p.P#p"}, w: w,
			answers: &restoreAnswers{problems: map[string]string{}, here: map[string]bool{}, elsewhere: map[string]bool{}}}
		report := &job.TestReport{Test: "v.V#v", Verdict: c.verdict, State: []string{"p.Other.x"}}
		found := h.byInitialisation(t.Context(), report)
		notes := strings.Join(report.Notes, "\n")
		if found != (c.said != "") || !strings.Contains(notes, c.said) || w.known(report.Test).initialisation != found {
			t.Errorf("%s: found %v, said %q", name, found, notes)
		}
		if found == (len(report.State) > 0) {
			t.Errorf("%s: named %q as what matters", name, report.State)
		}
		if len(at.orders) == 0 || at.orders[0] != c.first {
			t.Errorf("%s: ran %q", name, at.orders)
		}
	}
}
