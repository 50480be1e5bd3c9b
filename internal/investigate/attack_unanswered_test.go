package investigate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/dispatch"
	"github.com/odfix/odfix/internal/github"
	"github.com/odfix/odfix/internal/githubtest"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/store"
)

// errLeft is how a job ends whose runners were all stopped.
var errLeft = fmt.Errorf("%w: the worker was stopped", dispatch.ErrUnanswered)

// TestAttackStoppedRunners: tests that stop each runner that takes their job are not run for
// ever. The check says why.
func TestAttackStoppedRunners(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	h.runner.During = func(context.Context) error { return errLeft }
	p := h.Pull(nil)
	h.red(p, "demo.log")
	list := h.settled(p, 1)
	s := h.Posted(p)
	if list[0].State != store.Failed || len(h.asked()) != mostAttempts || len(s.Checks) != 1 || len(s.Causes()) != 0 {
		t.Fatalf("%+v, %d jobs, %d checks", list[0], len(h.asked()), len(s.Checks))
	}
	wantIn(t, s.Checks[0].GetOutput().GetSummary(), "each runner that took the job was stopped")
}

// TestStoppedRunners: after workers were really stopped, the job is run again. Failures of the
// network in between do not count.
func TestStoppedRunners(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	ends := []error{errLeft, io.ErrUnexpectedEOF, io.ErrUnexpectedEOF, io.ErrUnexpectedEOF, errLeft, nil}
	h.runner.During = func(context.Context) error {
		err := ends[0]
		if ends = ends[1:]; len(ends) == 0 {
			h.runner.During = nil
		}
		return err
	}
	p := h.Pull(nil)
	h.red(p, "demo.log")
	list := h.settled(p, 1)
	if s := h.Posted(p); list[0].State != store.Done || len(h.asked()) != 6 || len(s.Causes()) != 1 {
		t.Errorf("%+v, %d jobs, %d comments", list[0], len(h.asked()), len(s.Causes()))
	}
}

// TestAttackNULInErrors: PostgreSQL stores no U+0000, and the queue stores the ends of several
// jobs at once. Which error it is does not change.
func TestAttackNULInErrors(t *testing.T) {
	h := newHub(t, githubtest.Config{}, "demo.report.json")
	known := &job.Error{Code: "c\x00", Message: "evil\x00text", Detail: "d\x00"}
	var fails error
	w := worker[runArgs]{s: h.s, do: func(context.Context, runArgs) error { return fails }}
	entry := &river.Job[runArgs]{JobRow: &rivertype.JobRow{}}
	work := func(err error) error {
		fails = fmt.Errorf("a step: %w", err)
		return w.Work(t.Context(), entry)
	}
	var found *job.Error
	if err := work(known); strings.Contains(err.Error(), "\x00") || !errors.As(err, &found) || found != known {
		t.Errorf("%q, %+v", err, found)
	}
	var cancel *river.JobCancelError
	if err := work(river.JobCancel(known)); strings.Contains(err.Error(), "\x00") || !errors.As(err, &cancel) {
		t.Errorf("cancelled: %q", err)
	}
	if err := work(io.EOF); err != fails {
		t.Errorf("another error: %v", err)
	}
	delivery := &river.Job[github.DeliveryArgs]{JobRow: &rivertype.JobRow{}, Args: github.DeliveryArgs{GUID: "evil\x00"}}
	if err := NewDeliveries(h.db, zap.NewNop(), nil).Work(t.Context(), delivery); strings.Contains(err.Error(), "\x00") || !errors.As(err, &cancel) {
		t.Errorf("a delivery: %q", err)
	}
}
