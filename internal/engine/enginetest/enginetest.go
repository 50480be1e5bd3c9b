// Package enginetest holds a stand-in for a project, for tests of the packages of the engine.
package enginetest

import (
	"context"
	"sync/atomic"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// StandIn is a project of which only what a test sets is there.
type StandIn struct {
	project.Project
	Answer  func(o suite.Order) *suite.Run
	Origins func(place string, t suite.TestID) project.Origin
	Runs    *atomic.Int64
}

var _ project.Observer = StandIn{}

func (s StandIn) Run(_ context.Context, o suite.Order, _ repair.Trial) (*suite.Run, error) {
	if s.Runs != nil {
		s.Runs.Add(1)
	}
	return s.Answer(o), nil
}

func (s StandIn) Stats() project.Stats { return project.Stats{} }

func (StandIn) Parallel() int { return 1 }

func (StandIn) Syntax() suite.Syntax { return junitid.Syntax{} }

func (s StandIn) Origin(place string, t suite.TestID) project.Origin { return s.Origins(place, t) }

func (StandIn) Observe(ctx context.Context, _ suite.Order, _ project.Look) (*project.Observation, error) {
	return nil, context.Cause(ctx)
}

func (StandIn) RunRestored(context.Context, suite.Order, []string, int) (*suite.Run, []project.Restored, error) {
	panic("not asked for")
}

func (StandIn) Unobserved() string { return "" }

func (StandIn) FilesLeft(context.Context, suite.Order) ([]string, error) { panic("not asked for") }
