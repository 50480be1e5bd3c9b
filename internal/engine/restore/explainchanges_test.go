package restore

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/state"
)

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
