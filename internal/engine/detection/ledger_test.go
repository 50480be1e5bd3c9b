package detection

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/ledger"
	"github.com/odfix/odfix/internal/project"
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
	if len(d.laterNotes) != 1 || !strings.Contains(d.laterNotes[0], "not kept for --resume") ||
		!strings.Contains(d.laterNotes[0], "--out") {
		t.Errorf("%q", d.laterNotes)
	}
}

// marked is a project whose tests and code have a fixed fingerprint.
type marked struct{ project.Project }

func (marked) Fingerprint(context.Context) (string, error) { return "code", nil }

// TestResumedInOrderOfLedger: if the tests come in another order, as methods do in each JVM before
// JUnit 4.11, a resumed search continues with the order of the interrupted one.
func TestResumedInOrderOfLedger(t *testing.T) {
	out := t.TempDir()
	opened := func(resume bool, tests ...suite.TestID) *detection {
		t.Helper()
		class := &suite.Node{Name: "a.A"}
		for _, id := range tests {
			class.Children = append(class.Children, &suite.Node{Test: id})
		}
		s := &suite.Suite{Root: &suite.Node{Children: []*suite.Node{class}}}
		d := &detection{s: session.New(job.Job{Out: out}, session.Options{}), out: &job.Detection{}, opts: job.DetectOptions{Resume: resume},
			p: &session.Module{Lab: &session.Lab{Base: marked{}, Original: s.Order()}, Suite: s}}
		if err := errors.Join(d.read(), d.open(t.Context()), d.ledger.Close()); err != nil {
			t.Fatal(err)
		}
		return d
	}
	was := opened(false, "a.A#x", "a.A#y", "a.A#z").tests.Order()
	again := opened(true, "a.A#z", "a.A#x", "a.A#y")
	for name, got := range map[string]suite.Order{"tests": again.tests.Order(), "suite": again.p.Suite.Order(), "original": again.p.Original} {
		if !slices.Equal(got, was) {
			t.Errorf("%s: %v, want %v", name, got, was)
		}
	}
	if got := opened(false, "a.A#z", "a.A#x", "a.A#y").tests.Order(); slices.Equal(got, was) {
		t.Error("a new search has the order of the old one")
	}
}
