// Package restore finds the state through which causes affect their tests, and statements that
// restore it.
//
// It observes what a cause leaves changed and its test reads. Then it restores parts of that state
// before the test. If the test then behaves as it does alone, this state is what matters.
package restore

import (
	"context"
	"strings"
	"sync"

	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// Search finds the state through which the causes of failing tests may affect them, and stores what
// is known of it.
type Search struct {
	s *session.Session
	p *session.Module

	mu     sync.Mutex
	states map[suite.TestID]*knownState
}

// New returns a search that knows no state yet.
func New(s *session.Session, p *session.Module) *Search { return &Search{s: s, p: p} }

// knownState is what is known of the state through which the cause of a failing test may affect it.
type knownState struct {
	ways           []string       // fields, likeliest first
	observed       bool           // ways holds all that an observed run of the cause and the test shows
	elsewhere      bool           // restoring the state that the cause was seen to change is not what helps
	initialisation bool           // it matters when classes are initialised
	left           []string       // the files that the cause then leaves in the project's folder
	unseen         string         // why nothing is known: the cause was seen to change no state
	setUp          bool           // what matters is changed before the tests of the cause, not by them
	writers        suite.Order    // those of the cause that change what matters; empty: not known
	changes        []state.Change // what exactly the cause leaves changed in ways
	again          []state.Change // the same, as another process saw it; empty: none has yet
}

// known returns what is known of a test's state.
func (x *Search) known(t suite.TestID) *knownState {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.states[t] == nil {
		if x.states == nil {
			x.states = map[suite.TestID]*knownState{}
		}
		x.states[t] = &knownState{}
	}
	return x.states[t]
}

// Ways returns the fields through which the cause of a test may affect it, likeliest first.
func (x *Search) Ways(t suite.TestID) []string { return x.known(t).ways }

// Refuted reports whether restoring the state that the cause of a test was seen to change did not help.
func (x *Search) Refuted(t suite.TestID) bool { return x.known(t).elsewhere }

// Unseen returns the sentence for a test whose cause was seen to change no state; "" for others.
func (x *Search) Unseen(t suite.TestID) string { return x.known(t).unseen }

// Initialisation reports whether it matters to a test when classes are initialised.
func (x *Search) Initialisation(t suite.TestID) bool { return x.known(t).initialisation }

// OneValue reports whether the differences that the cause of a test leaves are one value of a field
// that is not an entry of a container. What a mock answers with is no value that can be set.
func (x *Search) OneValue(t suite.TestID) bool {
	changes := x.known(t).changes
	return len(changes) == 1 && !strings.Contains(changes[0].Path, "[") && !state.OfMock(changes[0].Path)
}

// SetUp reports whether the state that matters to a test is changed by what runs before the tests of its cause,
// such as the setup of their class, and not by the tests themselves.
func (x *Search) SetUp(t suite.TestID) bool { return x.known(t).setUp }

// Writers returns those tests of the cause of a test that change the state that matters to it; none if that
// is not known.
func (x *Search) Writers(t suite.TestID) suite.Order { return x.known(t).writers }

// Forget forgets what is known of the state of a test.
func (x *Search) Forget(t suite.TestID) { *x.known(t) = knownState{} }

// SetAside forgets what is known of the state of a test, so that it is found for another cause. The
// function that it returns brings that back.
func (x *Search) SetAside(t suite.TestID) (restore func()) {
	before := *x.known(t)
	x.Forget(t)
	return func() { *x.known(t) = before }
}

// traced returns what one process observed of an order.
func (x *Search) traced(ctx context.Context, o suite.Order) (*state.Trace, error) {
	at, err := x.p.Observer()
	if err != nil {
		return nil, err
	}
	seen, err := at.Observe(ctx, o, project.Look{})
	if err != nil {
		return nil, err
	}
	return seen.Trace, nil
}

// origin says to whom state belongs. Without an observer no state is known.
func (x *Search) origin(field string, t suite.TestID) project.Origin {
	if o, ok := x.p.Base.(project.Observer); ok {
		return o.Origin(field, t)
	}
	return project.Own
}
