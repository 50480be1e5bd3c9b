package engine

import (
	"slices"
	"testing"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
)

// TestFieldsWithoutResetTwice: a cause for which statements are looked for twice names each field
// that nothing resets once.
func TestFieldsWithoutResetTwice(t *testing.T) {
	r := &job.Report{Tests: []job.TestReport{{Test: "v.V#v", State: []string{"s.S.cache", "s.S$In.log"}}}}
	f := &finder{m: &repairing{w: &worker{log: zap.NewNop(), job: job.Job{}, report: func(job.Event) {}}, r: r},
		found: &project.Resets{Looked: []string{"s.S.cache", "s.S.In.log", "s.S.other"}, OfTests: []string{"s.S.cache"},
			Bodies: map[string]string{"s.S.cache": "cache.clear();"}}}
	for range 2 {
		f.describe(repair.Cause{Cases: []repair.Case{{Test: "v.V#v"}}})
	}
	got := r.Tests[0]
	if !slices.Equal(got.NoReset, []string{"s.S.cache", "s.S.In.log"}) || !slices.Equal(got.NoResetOfTests, []string{"s.S.cache"}) ||
		got.ResetBodies["s.S.cache"] != "cache.clear();" {
		t.Errorf("without reset %q, of tests %q, bodies %q", got.NoReset, got.NoResetOfTests, got.ResetBodies)
	}
}
