package detection

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/odfix/odfix/internal/engine/enginetest"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// endless observes until its time ends.
type endless struct{ enginetest.StandIn }

func (endless) Observe(ctx context.Context, _ suite.Order, _ project.Look) (*project.Observation, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestObservingLeavesTimeForOrders: where all tests cannot be observed in a third of the time, the
// search goes on without.
func TestObservingLeavesTimeForOrders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
		defer cancel()
		tests := suite.Order{"a.A#one", "a.A#two"}
		d := &detection{s: session.New(job.Job{}, session.Options{}), r: &job.Report{},
			p: &session.Module{Lab: &session.Lab{Base: endless{}, Original: tests}, Groups: &suite.Groups{}}}
		began := time.Now()
		if seen := d.observe(ctx); seen != nil || ctx.Err() != nil || time.Since(began) != 5*time.Minute {
			t.Errorf("%+v after %v, %v", seen, time.Since(began), ctx.Err())
		}
		if len(d.r.Notes) != 1 || !strings.Contains(d.r.Notes[0], "more than a third of the time") {
			t.Errorf("notes %q", d.r.Notes)
		}
	})
}

// stopped observes the first test, and is stopped then.
type stopped struct{ enginetest.StandIn }

func (stopped) Observe(_ context.Context, o suite.Order, look project.Look) (*project.Observation, error) {
	time.Sleep(look.Within) // of the test's bubble
	trace := state.NewTrace(o, &suite.Groups{})
	trace.Field("a.A.x", false)
	run := &suite.Run{Order: o, Crash: &suite.Crash{Kind: "killed", Detail: "it was stopped"}}
	for i, t := range o {
		run.Results = append(run.Results, suite.Result{Test: t, Outcome: []suite.Outcome{suite.Pass, suite.Unresolved}[min(i, 1)]})
	}
	return &project.Observation{Trace: trace, Run: run}, nil
}

// TestObservingInPart: what is observed until the time ends guides orders.
func TestObservingInPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
		defer cancel()
		tests := suite.Order{"a.A#one", "a.A#two", "a.A#three"}
		d := &detection{s: session.New(job.Job{}, session.Options{}), r: &job.Report{},
			p: &session.Module{Lab: &session.Lab{Base: stopped{}, Original: tests}, Groups: &suite.Groups{}}}
		if seen := d.observe(ctx); seen == nil || d.before() != nil {
			t.Errorf("%+v, and a run of the suite's own order", seen)
		}
		if !d.inPart {
			t.Error("it counts as a whole one")
		}
		if len(d.r.Notes) != 1 || !strings.Contains(d.r.Notes[0], "ended before 1 of 3 tests (a.A#three and") {
			t.Errorf("notes %q", d.r.Notes)
		}
	})
}

// TestRefutedState: state that was restored and did not help is not named for a cause.
func TestRefutedState(t *testing.T) {
	order := suite.Order{"a.V#v", "a.P#p"}
	trace := state.NewTrace(order, &suite.Groups{})
	trace.Field("a.P.shared", false)
	trace.Segment(state.Segment{Kind: 't', Position: 0, Read: []int{0}})
	trace.Segment(state.Segment{Kind: 't', Position: 1, Written: []int{0}, Values: []state.Value{{Field: 0, Before: 1, After: 2}}})
	d := &detection{state: state.Relate(trace), refuted: map[suite.TestID]bool{}}
	tests := []job.TestReport{{Test: "a.V#v", Verdict: suite.Victim, Polluters: []suite.Order{{"a.P#p"}}}}
	for refuted, want := range map[bool]string{false: "a.P.shared", true: ""} {
		d.refuted["a.V#v"] = refuted
		if got := d.causes(tests); len(got) != 1 || got[0].Location != want {
			t.Errorf("refuted %v: %+v", refuted, got)
		}
	}
}
