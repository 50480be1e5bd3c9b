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
