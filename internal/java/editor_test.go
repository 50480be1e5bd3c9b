package java

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/odfix/odfix/internal/java/workbench"
	"github.com/odfix/odfix/internal/repair"
)

// A statement that the workbench refuses, or answers too late, is unfit. The end of the workbench
// is another error.
func TestUnfit(t *testing.T) {
	slow := fmt.Errorf("one attempt: %w", &workbench.SlowError{Op: "attempt", After: time.Minute})
	for name, tt := range map[string]struct {
		err           error
		unfit, untold bool
	}{
		"refused":   {&workbench.Problem{Code: "returns", Message: "it returns"}, true, false},
		"slow":      {slow, true, true},
		"the end":   {workbench.ErrClosed, false, false},
		"no answer": {errors.New("broken pipe"), false, false},
	} {
		var u *repair.UnfitError
		err := unfit(tt.err)
		if errors.As(err, &u) != tt.unfit || tt.unfit && u.Unknown != tt.untold {
			t.Errorf("%s: %#v", name, err)
		}
	}
}
