package detection

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/ledger"
	"github.com/odfix/odfix/internal/suite"
)

// TestSearchGoesOnWhereNothingIsKept: a ledger that takes nothing any more stops nobody, and that
// is said once.
func TestSearchGoesOnWhereNothingIsKept(t *testing.T) {
	l, err := ledger.Open(t.Context(), filepath.Join(t.TempDir(), ledgerName), "code", false)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil { // as a full disk is: every write fails
		t.Fatal(err)
	}
	d := &detection{s: session.New(job.Job{}, session.Options{})}
	m := &remembering{ledger: l, d: d}
	run := &suite.Run{Order: suite.Order{"a#b"}, Results: []suite.Result{{Test: "a#b", Outcome: suite.Pass}}}
	m.keep(t.Context(), run, false)
	if got := m.width(t.Context(), 3); got != 3 {
		t.Errorf("drawn for %d processes", got)
	}
	m.keep(t.Context(), run, true)
	if len(d.reportedChanges) != 1 || !strings.Contains(d.reportedChanges[0], "not kept for --resume") ||
		!strings.Contains(d.reportedChanges[0], "--out") {
		t.Errorf("%q", d.reportedChanges)
	}
}
