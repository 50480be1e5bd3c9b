package pull

import (
	"errors"
	"testing"

	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/verdict"
)

// TestNoFixOfAFix: a pull request of ours, or of a fork, gets none of ours on top.
func TestNoFixOfAFix(t *testing.T) {
	for name, p := range map[string]github.Pull{
		"ours":     {HeadRef: "odfix/7-abc", HeadRepository: 1},
		"a fork's": {HeadRef: "topic", HeadRepository: 2},
	} {
		told := Publication{Place: Place{Repo: github.Repo{ID: 1}}, Pull: &p}
		if _, err := told.stacked(t.Context(), &verdict.Fix{Branch: "odfix/8-abc"}); !errors.Is(err, ErrNoRung) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
