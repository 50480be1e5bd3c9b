package restore

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/engine/enginetest"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// looking notes the fields whose contents are compared.
type looking struct {
	enginetest.StandIn
	at *[]string
}

func (l looking) Observe(_ context.Context, o suite.Order, look project.Look) (*project.Observation, error) {
	*l.at = append(*l.at, look.Fields...)
	groups := suite.NewGroups(nil, junitid.Syntax{})
	return &project.Observation{Trace: state.NewTrace(o, groups), Heap: state.NewHeap(o, groups)}, nil
}

// TestContentsOfContainers: what changes in a container of a library, such as how often it was used,
// is not compared; a container is named like state of the project, and looked at first.
func TestContentsOfContainers(t *testing.T) {
	var at []string
	base := enginetest.StandIn{Origins: func(field string, _ suite.TestID) project.Origin {
		return map[string]project.Origin{"s.Cache.contexts": project.Container, "p.P.own": project.Own}[field]
	}}
	x := New(session.New(job.Job{}, session.Options{}), &session.Module{Lab: &session.Lab{Base: looking{base, &at}}})
	compare := func(fields ...string) []string {
		at = nil
		victim := &job.TestReport{Test: "v.V#v", Verdict: suite.Victim, State: fields}
		x.explainChanges(t.Context(), suite.Order{"p.P#p"}, []*job.TestReport{victim}, time.Minute)
		return at
	}
	if got := compare("s.Cache.contexts", "p.P.own"); !slices.Equal(got, []string{"p.P.own"}) {
		t.Errorf("compared %q", got)
	}
	if got := compare("s.Cache.contexts"); len(got) > 0 {
		t.Errorf("compared %q", got)
	}
	if got := x.ownFirst([]string{"s.A.other", "s.B.other", "s.Cache.contexts"}, "v.V#v"); got[0] != "s.Cache.contexts" {
		t.Errorf("first of %q", got)
	}
}

func TestReportedChangesAreOfTheNamedPlaces(t *testing.T) {
	var all []state.Change
	for range belowReported {
		all = append(all, state.Change{Field: "a.B.c", Path: "a.B.c.n"}, state.Change{Field: "a.B.d", Path: "a.B.d.m"})
	}
	got := reportedChanges(all, []string{"a.B.d"}, nil)
	if len(got) != belowReported || slices.ContainsFunc(got, func(c job.StateChange) bool { return c.Path != "a.B.d.m" }) {
		t.Errorf("%+v", got)
	}
	if got = reportedChanges(all, []string{"a.B.c", "a.B.d"}, nil); len(got) != belowReported || got[0].Path != "a.B.c.n" {
		t.Errorf("%+v", got)
	}
}

// TestCallsComeLast: of what differs in a mock, its calls come last, in each field.
func TestCallsComeLast(t *testing.T) {
	changes := []job.StateChange{{Field: "mock b", Path: "b.mock.calls"}, {Field: "mock b", Path: "b implementation"},
		{Field: "mock a", Path: "a.mock.calls"}, {Field: "mock a", Path: "a once"}}
	callsLast(changes, []string{"mock b", "mock a"})
	var got []string
	for _, c := range changes {
		got = append(got, c.Path)
	}
	if want := []string{"b implementation", "b.mock.calls", "a once", "a.mock.calls"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
