package fix

import (
	"context"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// maxShown is how many causes are reproduced with the build's own command. Each takes a build.
const maxShown = 3

// reproduction is the search for commands of the project's own build that reproduce causes. It
// begins when no failing test is left to explain and a patch is proved, and then runs in parallel
// with what else is done, in its own copy of the project. A run of the build counts as one run of
// the lab, with low priority. A run that must be alone waits for it.
type reproduction struct {
	begin func()
	end   context.CancelFunc
	done  chan struct{}
	found map[suite.TestID]*job.Command
}

// Without a proved patch, the search begins after 1/latestShown of the time left: a person then needs
// the command more.
const latestShown = 4

// show prepares the search, once. One test of each cause is enough, because the others fail in the
// same way.
func (m *Repairing) show(ctx context.Context) {
	if m.shown != nil || m.open > 0 || len(m.causes) == 0 {
		return
	}
	s := &reproduction{done: make(chan struct{}), found: map[suite.TestID]*job.Command{}}
	begun := make(chan struct{})
	s.begin = sync.OnceFunc(func() { close(begun) })
	ctx, s.end = context.WithCancel(ctx)
	if end, ok := ctx.Deadline(); ok {
		late := time.AfterFunc(time.Until(end)/latestShown, s.begin)
		context.AfterFunc(ctx, func() { late.Stop() })
	}
	if len(m.proved) > 0 {
		s.begin()
	}
	m.shown = s
	var first []repair.Case
	for _, c := range m.causes[:min(maxShown, len(m.causes))] {
		first = append(first, c.Cases[0])
	}
	go func() {
		defer close(s.done)
		select {
		case <-begun:
		case <-ctx.Done():
			return
		}
		for _, c := range first {
			cmd, err := m.p.Base.Reproduce(ctx, c.Failing[0])
			if err != nil { // it is no error if no command is found
				m.s.Log.Info("no plain command shows the failure", zap.Error(err))
			}
			if cmd != nil {
				s.found[c.Test] = &job.Command{What: cmd.What, Dir: cmd.Dir, Line: cmd.Line, Exit: cmd.Exit}
			}
		}
	}()
}

// now begins the search, if it is prepared.
func (s *reproduction) now() {
	if s != nil {
		s.begin()
	}
}

// showAll waits until the search is complete.
func (m *Repairing) showAll() {
	if m.shown == nil {
		return
	}
	m.s.Enter(job.PhaseReproduce)
	m.s.Say(job.Event{Message: "looking for a plain command that shows the failure"})
	<-m.shown.done
}

// Close ends the search if it still runs, and writes the commands that it has found into the
// report.
func (m *Repairing) Close() {
	if m.shown == nil {
		return
	}
	m.shown.end()
	<-m.shown.done
	for test, cmd := range m.shown.found {
		if err := m.artifacts.Script(cmd); err != nil {
			m.s.Log.Warn("writing a plain command down", zap.Error(err))
		}
		m.each([]suite.TestID{test}, func(t *job.TestReport) { t.Reproduce = append(t.Reproduce, *cmd) })
	}
}
