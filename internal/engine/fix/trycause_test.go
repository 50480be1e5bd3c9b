package fix

import (
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/odfix/odfix/internal/engine/enginetest"
	"github.com/odfix/odfix/internal/engine/restore"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// TestNothingIsAskedWhereThereIsNoHelper: no run of the whole suite for a proof
// that nobody will begin.
func TestNothingIsAskedWhereThereIsNoHelper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		l := &session.Lab{Base: enginetest.StandIn{Runs: &runs}, Original: suite.Order{"a.A#one"}}
		m := &Repairing{s: session.New(job.Job{}, session.Options{}), p: &session.Module{Lab: l}, r: &job.Report{}, search: restore.New(nil, nil)}
		if fixed, err := m.cause(t.Context(), repair.Cause{Cases: []repair.Case{{Test: "a.A#one"}}}, nil); err != nil || len(fixed) > 0 {
			t.Errorf("%v, %v", fixed, err)
		}
		synctest.Wait() // for whatever that began
		if n := runs.Load(); n > 0 {
			t.Errorf("%d orders were asked", n)
		}
	})
}
