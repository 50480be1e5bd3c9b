package engine

import (
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/project"
)

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
