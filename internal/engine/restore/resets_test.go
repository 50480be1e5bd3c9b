package restore

import (
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
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
