package engine

import (
	"context"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// maxShown is how many causes are shown with the build's own command: each takes a build.
const maxShown = 3

// reproduction is the search for the way in which a person sees causes with the build's own
// command. It goes on beside the search for patches and their proof, in a copy of its own, where a
// run of the build takes the place of one question. It never goes on beside a diagnosis, some of
// whose runs must have nothing beside them.
type reproduction struct {
	m     *repairing
	end   context.CancelFunc
	done  chan struct{}
	found map[suite.TestID]*job.Command
}

// show begins the search for causes of which none was looked for yet. One test of each cause is
// enough: the others fail in the same way.
func (m *repairing) show(ctx context.Context, causes []repair.Cause) *reproduction {
	s := &reproduction{m: m, done: make(chan struct{}), found: map[suite.TestID]*job.Command{}}
	ctx, s.end = context.WithCancel(ctx)
	var first []repair.Case
	for _, c := range causes[:min(maxShown-m.reproduction, len(causes))] {
		first = append(first, c.Cases[0])
	}
	m.reproduction += len(first)
	go func() {
		defer close(s.done)
		for _, c := range first {
			cmd, err := m.p.base.Reproduce(ctx, c.Failing[0])
			if err != nil { // finding no way is no error
				m.w.log.Info("no plain command shows the failure", zap.Error(err))
			}
			if cmd != nil {
				s.found[c.Test] = &job.Command{What: cmd.What, Dir: cmd.Dir, Line: cmd.Line, Exit: cmd.Exit}
			}
		}
	}()
	return s
}

// report waits for the commands and puts them into the report.
func (s *reproduction) report() {
	m := s.m
	m.w.enter(job.PhaseReproduce)
	m.w.say(job.Event{Message: "looking for a plain command that shows the failure"})
	<-s.done
	for test, cmd := range s.found {
		if err := m.artifacts.script(cmd); err != nil {
			m.w.log.Warn("writing a plain command down", zap.Error(err))
		}
		m.each([]suite.TestID{test}, func(t *job.TestReport) { t.Reproduce = append(t.Reproduce, *cmd) })
	}
}

// stop ends the search, where it still goes on.
func (s *reproduction) stop() {
	s.end()
	<-s.done
}
