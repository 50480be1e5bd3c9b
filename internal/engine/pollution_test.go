package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// TestWhatWasFoundOutlivesTheTime: where nothing more can be run, what the tests leave is reported
// nevertheless.
func TestWhatWasFoundOutlivesTheTime(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	found := &state.Pollutions{Observed: 1, Tests: []state.Polluter{{Test: "a.A#x",
		Pollutes: []state.Pollution{{Field: "a.S.map", Path: `a.S.map["k"]`, After: "1", During: state.DuringTest}}}}}
	w, r := &worker{log: zap.NewNop(), report: func(job.Event) {}}, &job.Report{}
	err := w.judge(ctx, &module{lab: &lab{base: standIn{}}}, job.PollutionOptions{}, nil, &state.Relation{}, found, r)
	if r.Pollution == nil {
		t.Fatalf("nothing is reported: %v", err)
	}
	if notes := strings.Join(r.Notes, "\n"); !strings.Contains(notes, "The lines that wrote") {
		t.Errorf("notes: %s", notes)
	}
}

// TestReversed: backwards, with the tests of a class in one piece.
func TestReversed(t *testing.T) {
	o := suite.Order{"a.A#x", "a.A#y", "b.B#x", "c.C#x", "c.C#y"}
	want := suite.Order{"c.C#y", "c.C#x", "b.B#x", "a.A#y", "a.A#x"}
	if got := reversed(o); !slices.Equal(got, want) || o[0] != "a.A#x" {
		t.Errorf("%v of %v", got, o)
	}
}

// TestMeet: where each class has a process of its own, two classes' tests never meet.
func TestMeet(t *testing.T) {
	for _, isolated := range []bool{true, false} {
		v := &proving{p: &module{groups: classes, about: project.About{Isolated: isolated}}}
		if !v.meet("a.A#x", "a.A#y") || v.meet("a.A#x", "b.B#x") == isolated {
			t.Errorf("isolated %v", isolated)
		}
	}
}
