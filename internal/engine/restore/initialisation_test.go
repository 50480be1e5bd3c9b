package restore

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/odfix/odfix/internal/engine/enginetest"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// loading is an observer of a language with static initialisers. The last test of an order passes if the
// needed class is initialised first, and fails otherwise.
type loading struct {
	enginetest.StandIn
	groups *suite.Groups
	needs  string // a class; "": nothing helps
	once   bool   // it helps the first time only
	always bool   // the last test passes in any case
	breaks bool   // with classes that are initialised first, the cause fails
	failed string // a class whose initialiser fails

	mu     sync.Mutex
	orders []suite.Order
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

func (l *loading) RunInitialised(_ context.Context, o suite.Order, classes []string) (*suite.Run, []string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.orders = append(l.orders, o)
	run := &suite.Run{Order: o}
	for i, t := range o {
		run.Results = append(run.Results, suite.Result{Test: t, Outcome: suite.Pass, Position: i})
	}
	if l.breaks && len(classes) > 0 {
		run.Results[0].Outcome = suite.Fail
	}
	last := &run.Results[len(o)-1].Outcome
	*last = suite.Fail
	if l.always || slices.Contains(classes, l.needs) && (!l.once || l.helped == 0) {
		*last = suite.Pass
		l.helped++
	}
	if slices.Contains(classes, l.failed) {
		return run, []string{l.failed}, nil
	}
	return run, nil, nil
}

// TestWhenClassesAreInitialised: the class is named whose early initialisation makes a victim pass after its
// polluters, or a brittle test pass alone.
func TestWhenClassesAreInitialised(t *testing.T) {
	one, two := suite.Order{"p.P#p"}, suite.Order{"p.P#p", "p.Q#q"}
	for name, c := range map[string]struct {
		verdict suite.Verdict
		cause   suite.Order
		at      *loading
		said    string      // a part of the note; "": there is none
		ran     suite.Order // in each run
	}{
		"of the project": {suite.Victim, one, &loading{needs: "p.Keeps"},
			"it passes if p.Keeps is initialised before p.P#p runs.", suite.Order{"p.P#p", "v.V#v"}},
		"of a library": {suite.Victim, one, &loading{needs: "lib.Cache"},
			"it passes if lib.Cache is initialised before p.P#p runs.", suite.Order{"p.P#p", "v.V#v"}},
		"two polluters": {suite.Victim, two, &loading{needs: "p.Other"},
			"it passes if p.Other is initialised before p.P#p and p.Q#q run.", suite.Order{"p.P#p", "p.Q#q", "v.V#v"}},
		"beside an initialiser that fails": {suite.Victim, one, &loading{needs: "p.Keeps", failed: "p.Other"},
			"it passes if p.Keeps is initialised before p.P#p runs.", suite.Order{"p.P#p", "v.V#v"}},
		"brittle": {suite.Brittle, one, &loading{needs: "p.Other"},
			"it passes alone if p.Other is initialised before it.", suite.Order{"v.V#v"}},
		"none":                {suite.Victim, one, &loading{needs: "-"}, "", suite.Order{"p.P#p", "v.V#v"}},
		"only once":           {suite.Victim, one, &loading{needs: "p.Keeps", once: true}, "", suite.Order{"p.P#p", "v.V#v"}},
		"it passes anyway":    {suite.Victim, one, &loading{always: true}, "", suite.Order{"p.P#p", "v.V#v"}},
		"the polluter breaks": {suite.Victim, one, &loading{needs: "p.Keeps", breaks: true}, "", suite.Order{"p.P#p", "v.V#v"}},
		"its own initialiser fails": {suite.Victim, one, &loading{needs: "p.Keeps", failed: "p.Keeps"}, "",
			suite.Order{"p.P#p", "v.V#v"}},
	} {
		groups := suite.NewGroups(&suite.Suite{Root: &suite.Node{}}, junitid.Syntax{})
		at := c.at
		at.groups, at.StandIn = groups, enginetest.StandIn{Origins: func(field string, _ suite.TestID) project.Origin {
			if strings.HasPrefix(field, "lib.") {
				return project.Library
			}
			return project.Own
		}}
		x := New(session.New(job.Job{}, session.Options{}), &session.Module{Lab: &session.Lab{Base: at}, Groups: groups})
		h := causeSearch{Search: x, at: at, cause: c.cause, answers: newAnswers()}
		report := &job.TestReport{Test: "v.V#v", Verdict: c.verdict, State: []string{"p.Other.x"}}
		found, err := h.byInitialisation(t.Context(), report)
		notes := strings.Join(report.Notes, "\n")
		if err != nil || found != (c.said != "") || !strings.Contains(notes, c.said) || x.Initialisation(report.Test) != found {
			t.Errorf("%s: found %v, %v, said %q", name, found, err, notes)
		}
		if found == (len(report.State) > 0) {
			t.Errorf("%s: named %q as what matters", name, report.State)
		}
		for _, o := range at.orders {
			if !slices.Equal(o, c.ran) {
				t.Errorf("%s: ran %q", name, o)
			}
		}
	}
}

// TestInitialisationCutShort: the end of the time is no answer.
func TestInitialisationCutShort(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	at := &ended{loading{StandIn: enginetest.StandIn{Origins: func(string, suite.TestID) project.Origin { return project.Own }}}, stop}
	at.groups = suite.NewGroups(&suite.Suite{Root: &suite.Node{}}, junitid.Syntax{})
	h := causeSearch{Search: New(session.New(job.Job{}, session.Options{}), &session.Module{Lab: &session.Lab{Base: at}, Groups: at.groups}), at: at, cause: suite.Order{"p.P#p"}}
	report := &job.TestReport{Test: "v.V#v", Verdict: suite.Victim}
	if found, err := h.byInitialisation(ctx, report); found || err == nil || len(report.Notes) > 0 {
		t.Errorf("%v, %v, %q", found, err, report.Notes)
	}
}

// ended is a loading for which the time ends.
type ended struct {
	loading
	stop context.CancelFunc
}

func (e *ended) RunInitialised(ctx context.Context, _ suite.Order, _ []string) (*suite.Run, []string, error) {
	e.stop()
	return nil, nil, ctx.Err()
}
