package detection

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"sync"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/detect"
	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/ledger"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// ledgerName is the ledger's file in the output folder.
const ledgerName = "detect.db"

// open opens the ledger, if there is an output folder.
func (d *detection) open(ctx context.Context) (err error) {
	if d.s.Job.Out == "" {
		if d.opts.Resume {
			return &job.Error{Code: "bad-resume", Message: "--resume needs to know where the interrupted run is",
				Hint: "Name its output folder with --out."}
		}
		return nil
	}
	mark, err := d.p.Base.Fingerprint(ctx)
	if err != nil {
		return err
	}
	d.ledger, err = ledger.Open(ctx, filepath.Join(d.s.Job.Out, ledgerName), mark, d.opts.Resume)
	e := &job.Error{Code: "bad-resume"}
	switch {
	case err == nil:
		d.recall(ctx)
		return d.arrange(ctx)
	case errors.Is(err, ledger.ErrNone):
		e.Message, e.Hint = "there is no interrupted run in "+d.s.Job.Out, "Leave out --resume to begin one there."
	case errors.Is(err, ledger.ErrChanged):
		e.Message = "the tests, the code, or how they are built and run (JDK, arguments, --test-timeout) have " +
			"changed since the interrupted run, so its results are no longer valid"
		e.Hint = "Leave out --resume to begin anew. The old results are then kept as " + ledgerName + ".old."
	case errors.Is(err, ledger.ErrBusy):
		e.Code, e.Message, e.Hint = "bad-out", "another odfix is using "+d.s.Job.Out, "Wait for it, or name another folder with --out."
	case d.opts.Resume:
		e.Message, e.Hint = "what the interrupted run left cannot be read: "+err.Error(), "Leave out --resume to begin anew."
	default:
		e.Code, e.Message, e.Hint = "bad-out", "the results cannot be kept: "+err.Error(),
			"Free some space, or name another folder with --out."
	}
	return e
}

// ownOrder is the kind under which the ledger stores the suite's own order.
const ownOrder = "own order"

// arrange gives the suite the order that it had when the search began. Before JUnit 4.11, the order
// of a class's methods can differ in each JVM, and orders would be drawn that the ledger does not
// have.
func (d *detection) arrange(ctx context.Context) error {
	var was suite.Order
	ok, err := d.ledger.Kept(ctx, ownOrder, "", &was)
	switch {
	case err == nil && ok:
		d.p.Arrange(was)
		return d.read()
	case err == nil:
		err = d.ledger.Keep(ctx, ownOrder, "", d.p.Original)
	}
	if err != nil { // the search can go on, and may only repeat runs
		d.s.Log.Warn("keeping the suite's own order", zap.Error(err))
	}
	return nil
}

// remembering is the lab for a search. It does not repeat runs of an interrupted search, and it
// stores each result at once.
type remembering struct {
	lab    *session.Lab
	ledger *ledger.Ledger // nil: nothing is kept
	d      *detection
	full   sync.Once

	mu    sync.Mutex
	known []diagnose.KnownRun // runs of short orders
}

var _ detect.Runner = (*remembering)(nil)

// Parallel implements detect.Runner.
func (m *remembering) Parallel() int { return m.lab.Parallel() }

// Run implements detect.Runner. A result that the ledger has is not asked for again.
func (m *remembering) Run(ctx context.Context, o suite.Order, alone bool) (*suite.Run, error) {
	if m.ledger != nil {
		if run, err := m.ledger.Recall(ctx, o, alone); run != nil || err != nil {
			m.remember(run, alone)
			return run, err
		}
	}
	run, err := m.lab.Run(ctx, o, repair.Trial{Price: suite.Fresh, Alone: alone})
	if refused, ok := errors.AsType[*project.RefusedError](err); ok && len(refused.Tests) > 0 {
		return nil, &detect.MissingError{Tests: refused.Tests, Reason: refused.Reason, There: !refused.Gone}
	}
	if err == nil && m.ledger != nil {
		m.keep(ctx, run, alone)
	}
	m.remember(run, alone)
	return run, err
}

// Quick runs an order in a process that has run other orders. It returns nil if such a process
// cannot run it.
func (m *remembering) Quick(ctx context.Context, o suite.Order) (*suite.Run, error) {
	run, err := m.lab.Run(ctx, o, repair.Trial{Price: suite.Batched})
	if _, refused := errors.AsType[*project.RefusedError](err); refused {
		return nil, nil
	}
	return run, err
}

// shortOrder is how many tests an order has at most whose runs a diagnosis uses, too: a polluter, or
// two, and the failing test.
const shortOrder = 3

// remember stores runs of short orders, which a diagnosis uses first.
func (m *remembering) remember(run *suite.Run, alone bool) {
	if run == nil || len(run.Order) == 0 || len(run.Order) > shortOrder {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.known = append(m.known, diagnose.KnownRun{Run: run, Exclusive: alone})
}

// of returns the known runs of short orders that end with one of the tests. Once results of parallel processes are distrusted,
// it returns none.
func (m *remembering) of(tests []suite.TestID) []diagnose.KnownRun {
	m.mu.Lock()
	defer m.mu.Unlock()
	return suite.Filter(m.known, func(h diagnose.KnownRun) bool {
		return slices.Contains(tests, h.Run.Order[len(h.Run.Order)-1]) && (h.Exclusive || !m.lab.AsksSequentially())
	})
}

// widthKind is the kind under which the ledger stores the number of processes for which orders are
// drawn.
const widthKind = "orders drawn for processes"

// width returns the number of parallel processes for which orders were first drawn. A resumed
// search then draws the same orders, even if the number of processes is different now.
func (m *remembering) width(ctx context.Context, now int) int {
	if m.ledger == nil {
		return now
	}
	was := now
	if ok, err := m.ledger.Kept(ctx, widthKind, "", &was); ok && err == nil {
		return was
	}
	if err := m.ledger.Keep(context.WithoutCancel(ctx), widthKind, "", now); err != nil {
		m.noteNotKept(err)
	}
	return now
}

// keep stores a run. If it cannot be stored, the search continues, because the report contains the
// finds in any case.
func (m *remembering) keep(ctx context.Context, run *suite.Run, alone bool) {
	if err := m.ledger.Record(context.WithoutCancel(ctx), run, alone); err != nil {
		m.noteNotKept(err)
	}
}

// noteNotKept notes once that the following runs cannot be resumed.
func (m *remembering) noteNotKept(err error) {
	m.full.Do(func() {
		m.d.noteLater("What was found is not kept for --resume: %v. Free some space, or name another folder with --out.", err)
		m.d.s.Log.Error("keeping what was found", zap.Error(err))
	})
}
