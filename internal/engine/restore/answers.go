package restore

import (
	"fmt"
	"slices"
	"sync"

	"github.com/odfix/odfix/internal/project"
)

// restoreAnswers collects what processes reported about restored state.
type restoreAnswers struct {
	sync.Mutex
	problems        map[string]string // why a field could not be restored
	here, elsewhere map[string]bool   // the field was restored: in the main copy of its class, or in a copy that another class loader loaded
}

func newAnswers() *restoreAnswers {
	return &restoreAnswers{problems: map[string]string{}, here: map[string]bool{}, elsewhere: map[string]bool{}}
}

func (h *restoreAnswers) of(restored []project.Restored) (problems []string) {
	h.Lock()
	defer h.Unlock()
	for _, p := range restored {
		if p.Problem != "" {
			h.problems[p.Field] = p.Problem
			problems = append(problems, p.Field+": "+p.Problem)
		}
		h.elsewhere[p.Field] = h.elsewhere[p.Field] || p.OtherLoader
		h.here[p.Field] = h.here[p.Field] || p.Changed
	}
	return problems
}

// onlyElsewhere reports whether the fields were restored only in classes of other class loaders.
func (h *restoreAnswers) onlyElsewhere(fields []string) bool {
	h.Lock()
	defer h.Unlock()
	return !slices.ContainsFunc(fields, func(p string) bool { return h.here[p] || !h.elsewhere[p] })
}

// whyNotRestored returns why the first field that could not be restored could not be; "" if all
// could.
func (h *restoreAnswers) whyNotRestored(fields []string) string {
	h.Lock()
	defer h.Unlock()
	for _, p := range fields {
		if why := h.problems[p]; why != "" {
			return fmt.Sprintf("Whether %s matters could not be tried, because it cannot be restored: %s.", p, why)
		}
	}
	return ""
}
