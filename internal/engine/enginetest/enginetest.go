// Package enginetest holds a stand-in for a project, for tests of the engine's packages.
package enginetest

import (
	"context"
	"sync/atomic"

	"github.com/odfix/odfix/internal/java/junitid"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// Classes reads JUnit's ids.
var Classes = suite.NewGroups(nil, junitid.Syntax{})

// StandIn is a project that does only what a test sets.
type StandIn struct {
	project.Project
	Answer  func(o suite.Order) *suite.Run                    // is Run
	Origins func(field string, t suite.TestID) project.Origin // is Origin
	Runs    *atomic.Int64                                     // counts runs; nil: they are not counted
}

var _ project.Observer = StandIn{}

// Run implements project.Project.
func (s StandIn) Run(_ context.Context, o suite.Order, _ repair.Trial) (*suite.Run, error) {
	if s.Runs != nil {
		s.Runs.Add(1)
	}
	return s.Answer(o), nil
}

// Stats implements project.Project.
func (s StandIn) Stats() project.Stats { return project.Stats{} }

// Parallel implements project.Project.
func (StandIn) Parallel() int { return 1 }

// Syntax implements project.Project.
func (StandIn) Syntax() suite.Syntax { return junitid.Syntax{} }

// Origin implements project.Observer.
func (s StandIn) Origin(field string, t suite.TestID) project.Origin { return s.Origins(field, t) }

// Observe implements project.Observer. It observes nothing.
func (StandIn) Observe(ctx context.Context, _ suite.Order, _ project.Look) (*project.Observation, error) {
	return nil, context.Cause(ctx)
}

// RunRestored implements project.Observer. No test may ask for it.
func (StandIn) RunRestored(context.Context, suite.Order, []string, int) (*suite.Run, []project.Restored, error) {
	panic("not asked for")
}

// Unobserved implements project.Observer.
func (StandIn) Unobserved() string { return "" }

// FilesLeft implements project.Observer. No test may ask for it.
func (StandIn) FilesLeft(context.Context, suite.Order) ([]string, error) { panic("not asked for") }
