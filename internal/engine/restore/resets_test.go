package restore

import (
	"context"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/engine/enginetest"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// TestFieldsWithoutResetTwice: a cause for which statements are looked for twice names each field
// that nothing resets once.
func TestFieldsWithoutResetTwice(t *testing.T) {
	got := job.TestReport{Test: "v.V#v", State: []string{"s.S.cache", "s.S$In.log"}}
	f := &Finder{Search: New(session.New(job.Job{}, session.Options{}), nil), found: &project.Resets{Looked: []string{"s.S.cache", "s.S.In.log", "s.S.other"}, OfTests: []string{"s.S.cache"},
		Bodies: map[string]string{"s.S.cache": "cache.clear();"}}}
	for range 2 {
		f.Describe(&got)
	}
	if !slices.Equal(got.NoReset, []string{"s.S.cache", "s.S.In.log"}) || !slices.Equal(got.NoResetOfTests, []string{"s.S.cache"}) ||
		got.ResetBodies["s.S.cache"] != "cache.clear();" {
		t.Errorf("without reset %q, of tests %q, bodies %q", got.NoReset, got.NoResetOfTests, got.ResetBodies)
	}
}

// written observes a static field that the first test writes. The second one reads it, and fails.
type written struct {
	enginetest.StandIn
	traced *int // runs in which the contents of fields are not compared
}

func (w written) Observe(_ context.Context, o suite.Order, look project.Look) (*project.Observation, error) {
	trace := state.NewTrace(o, enginetest.Classes)
	if len(look.Fields) == 0 {
		*w.traced++
	}
	trace.Field("p.P.state", false)
	trace.Segment(state.Segment{Kind: 't', Written: []int{0}, Values: []state.Value{{Field: 0, Before: 1, After: 2}}})
	trace.Segment(state.Segment{Kind: 't', Position: 1, Read: []int{0}})
	trace.Failed(1)
	return &project.Observation{Trace: trace, Heap: state.NewHeap(o, enginetest.Classes)}, nil
}

// TestLeftIsKnownForTheFirstCandidate checks that what a patch leaves changed is known also for the
// statements of a helper, which are tried before the state is looked at, and that it is observed
// once.
func TestLeftIsKnownForTheFirstCandidate(t *testing.T) {
	n := 0
	base := written{enginetest.StandIn{Origins: func(string, suite.TestID) project.Origin { return project.Own }}, &n}
	x := New(session.New(job.Job{}, session.Options{}), &session.Module{Lab: &session.Lab{Base: base}, Groups: enginetest.Classes})
	f := &Finder{Search: x}
	cause := repair.Cause{Polluter: suite.Order{"p.P#p"}, Cases: []repair.Case{{Test: "v.V#v"}}}
	for range 2 {
		if left, known, err := f.Left(t.Context(), cause, "overlay"); left != 0 || !known || err != nil {
			t.Errorf("%d differences are left, known: %v, %v", left, known, err)
		}
	}
	if n != 1 || !slices.Equal(x.Ways("v.V#v"), []string{"p.P.state"}) {
		t.Errorf("observed %d times, %v", n, x.Ways("v.V#v"))
	}
}
