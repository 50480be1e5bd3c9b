package engine

import (
	"context"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// maxShown is how many causes are reproduced with the build's own command. Each takes a build.
const maxShown = 3

// reproduction is the search for a command of the project's own build that reproduces a cause. It
// runs in parallel with the search for patches and their proof, in its own copy of the project. A
// run of the build counts as one run of the lab, with low priority. An exclusive run of a late
// search for cleaners waits for it.
type reproduction struct {
	m     *repairing
	of    []repair.Cause
	end   context.CancelFunc
	done  chan struct{}
	found map[suite.TestID]*job.Command
	left  map[suite.TestID]bool // tests for which the search was stopped
}

// show starts the search for causes that were not searched yet. One test of each cause is enough,
// because the others fail in the same way.
func (m *repairing) show(ctx context.Context, causes []repair.Cause) *reproduction {
	s := &reproduction{m: m, of: causes[:min(maxShown-m.reproduction, len(causes))], done: make(chan struct{}),
		found: map[suite.TestID]*job.Command{}, left: map[suite.TestID]bool{}}
	ctx, s.end = context.WithCancel(ctx)
	var first []repair.Case
	for _, c := range s.of {
		first = append(first, c.Cases[0])
	}
	m.reproduction += len(first)
	go func() {
		defer close(s.done)
		for _, c := range first {
			cmd, err := m.p.base.Reproduce(ctx, c.Failing[0])
			if cmd == nil && ctx.Err() != nil {
				s.left[c.Test] = true
				continue
			}
			if err != nil { // it is no error if no command is found
				m.w.log.Info("no plain command shows the failure", zap.Error(err))
			}
			if cmd != nil {
				s.found[c.Test] = &job.Command{What: cmd.What, Dir: cmd.Dir, Line: cmd.Line, Exit: cmd.Exit}
			}
		}
	}()
	return s
}

// report waits for the commands and writes them into the report. While other tests are not explained
// yet, it does not wait: the search begins again at the end.
func (s *reproduction) report() {
	m := s.m
	m.w.enter(job.PhaseReproduce)
	m.w.say(job.Event{Message: "looking for a plain command that shows the failure"})
	if m.open > 0 {
		s.stop()
		again := suite.Filter(s.of, func(c repair.Cause) bool { return s.found[c.Cases[0].Test] == nil && s.left[c.Cases[0].Test] })
		m.reproduction -= len(again)
		m.unshown = append(m.unshown, again...)
	}
	<-s.done
	for test, cmd := range s.found {
		if err := m.artifacts.script(cmd); err != nil {
			m.w.log.Warn("writing a plain command down", zap.Error(err))
		}
		m.each([]suite.TestID{test}, func(t *job.TestReport) { t.Reproduce = append(t.Reproduce, *cmd) })
	}
}

// stop ends the search if it still runs.
func (s *reproduction) stop() {
	s.end()
	<-s.done
}
