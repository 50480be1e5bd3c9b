package engine

import (
	"context"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// maxShown is how many causes are shown with plain Maven: each takes a build.
const maxShown = 3

// showing is the search for the way in which a person sees causes with plain Maven. It goes on beside
// the search for patches, in a copy of its own, where a run of Maven takes the place of one question.
type showing struct {
	m     *mender
	end   context.CancelFunc
	done  chan struct{}
	found map[suite.TestID]*job.Command
}

// show begins. One test of each cause is enough: the others fail in the same way.
func (m *mender) show(ctx context.Context, causes []repair.Cause) *showing {
	s := &showing{m: m, done: make(chan struct{}), found: map[suite.TestID]*job.Command{}}
	ctx, s.end = context.WithCancel(ctx)
	var first []repair.Case
	for _, c := range causes[:min(maxShown, len(causes))] {
		first = append(first, c.Cases[0])
	}
	go func() {
		defer close(s.done)
		for _, c := range first {
			cmd, err := m.reproduce(ctx, c.Failing[0])
			if err != nil { // finding no way is no error
				m.w.log.Info("no plain command shows the failure", zap.Error(err))
			}
			s.found[c.Test] = cmd
		}
	}()
	return s
}

// tell waits for the ways and puts them into the report.
func (s *showing) tell() {
	s.m.w.enter(job.PhaseReproduce)
	s.m.w.say(job.Event{Message: "looking for a plain Maven command that shows the failure"})
	<-s.done
	for test, cmd := range s.found {
		if cmd == nil {
			continue
		}
		if err := s.m.paper.script(cmd); err != nil {
			s.m.w.log.Warn("writing a plain command down", zap.Error(err))
		}
		s.m.each([]suite.TestID{test}, func(t *job.TestReport) { t.Reproduce = append(t.Reproduce, *cmd) })
	}
}

// stop ends the search, where it still goes on.
func (s *showing) stop() {
	s.end()
	<-s.done
}
