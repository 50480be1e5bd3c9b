package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/suite"
)

// restoring is an observer whose processes end with the context.
type restoring struct {
	standIn
	stop context.CancelFunc
}

func (r restoring) RunRestored(ctx context.Context, _ suite.Order, _ []string, _ int) (*suite.Run, []project.Restored, error) {
	r.stop()
	return nil, nil, ctx.Err()
}

// TestConfirmationThatIsCutShort: state that helped the test with which it was found is kept, also state
// of the process. Nothing is concluded for other tests.
func TestConfirmationThatIsCutShort(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	base := standIn{origin: func(string, suite.TestID) project.Origin { return project.Library }}
	w := &worker{log: zap.NewNop(), ways: map[suite.TestID][]string{}}
	h := stateSearch{p: &module{lab: &lab{base: base}}, at: restoring{base, stop}, cause: "p.P#p", w: w,
		answers: &restoreAnswers{problems: map[string]string{}, here: map[string]bool{}, elsewhere: map[string]bool{}}}
	found, other := &job.TestReport{Test: "v.V#found", Verdict: suite.Victim}, &job.TestReport{Test: "v.V#other", Verdict: suite.Victim}
	fields := []string{"system property a", "system property b"}
	if err := h.confirm(ctx, []*job.TestReport{found, other}, fields); err == nil {
		t.Error("it was not cut short")
	}
	if !slices.Equal(found.State, fields) || !slices.Equal(w.ways[found.Test], fields) || found.StateMatters {
		t.Errorf("%v, ways %v, proved %v", found.State, w.ways[found.Test], found.StateMatters)
	}
	if len(other.State) > 0 || w.ways[other.Test] != nil {
		t.Errorf("of another test: %v, ways %v", other.State, w.ways[other.Test])
	}
}

// TestStateThatIsNotKnown: where some state could not be restored, and the rest does not help,
// people read of it; where all could be, of nothing.
func TestStateThatIsNotKnown(t *testing.T) {
	h := &restoreAnswers{problems: map[string]string{}, here: map[string]bool{}, elsewhere: map[string]bool{}}
	h.of([]project.Restored{
		{Field: "a.A.back", Changed: true},
		{Field: "lib.B.lost", Problem: "it is not as it was"},
		{Field: "lib.C.lost", Problem: "more hangs on it than can be looked at"},
	})
	if got := h.whyUnknown("a.P#cause", "a.V#victim", []string{"a.A.back"}, "Mocks are not observed."); got != "" {
		t.Errorf("all could be put back: %s", got)
	}
	got := h.whyUnknown("a.P#cause", "a.V#victim", []string{"a.A.back", "lib.B.lost", "lib.C.lost"}, "Mocks are not observed.")
	for _, want := range []string{"a.V#victim depends on a.P#cause", "lib.B.lost could not be restored (it is not as it was), and 1 more.",
		"Mocks are not observed."} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in: %s", want, got)
		}
	}
}

// TestOnlyElsewhere: whether all places were changed in classes of other class loaders only.
func TestOnlyElsewhere(t *testing.T) {
	h := &restoreAnswers{problems: map[string]string{}, here: map[string]bool{}, elsewhere: map[string]bool{}}
	for _, runs := range [][]project.Restored{
		{{Field: "here", Changed: true}, {Field: "other", OtherLoader: true}, {Field: "both", Changed: true, OtherLoader: true}},
		{{Field: "here"}, {Field: "other"}, {Field: "both"}, {Field: "neither"}},
	} {
		if problems := h.of(runs); len(problems) != 0 {
			t.Errorf("problems %q", problems)
		}
	}
	for _, c := range []struct {
		places []string
		want   bool
	}{{[]string{"other"}, true}, {[]string{"here"}, false}, {[]string{"both"}, false}, {[]string{"neither"}, false},
		{[]string{"other", "here"}, false}} {
		if got := h.onlyElsewhere(c.places); got != c.want {
			t.Errorf("%v: %v", c.places, got)
		}
	}
	h.of([]project.Restored{{Field: "lost", Problem: "it is final"}})
	if got := h.whyNotRestored([]string{"here", "lost"}); !strings.Contains(got, "Whether lost ") || !strings.Contains(got, "it is final") {
		t.Errorf("%q", got)
	}
	if got := h.whyNotRestored([]string{"here"}); got != "" {
		t.Errorf("%q", got)
	}
}
