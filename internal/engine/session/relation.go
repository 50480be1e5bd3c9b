package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// maxRestarts is how many processes of an observed run may end early. After that, the rest of the
// suite is not observed.
const maxRestarts = 20

// NotInTime begins the note of an observed run that was stopped.
const NotInTime = "The time for observing ended"

// maxRelated is the largest number of tests in a relation. Its memory grows with the square of this
// number.
const maxRelated = 30_000

// Relation runs the suite in its own order, observed, and returns what its tests do with static
// state. If the time within is not 0 and not enough, it is what the first tests do.
func (p *Module) Relation(ctx context.Context, s *Session, within time.Duration) (*state.Relation, error) {
	r, _, err := p.Observed(ctx, s, p.Original, project.Look{Suite: true, Within: within})
	return r, err
}

// Observed runs the tests in this order, observed. If a process ends early, another one continues
// after the test that ended it. If look asks for contents, observed also returns the changes of
// objects.
func (p *Module) Observed(ctx context.Context, s *Session, tests suite.Order,
	look project.Look) (_ *state.Relation, _ []*state.Heap, err error) {
	if n := len(tests); n > maxRelated {
		return nil, nil, &job.Error{
			Code: "too-many-tests", Message: fmt.Sprintf("%d tests are too many to observe what they do with static "+
				"state: %d is the most", n, maxRelated),
			Hint: "Ask for a technique that needs no observation, such as " + string(order.TechniqueIntraClass) + ".",
		}
	}
	s.Say(job.Event{Message: fmt.Sprintf("observing what %d tests do with %s", len(tests), p.Groups.Nouns().State)})
	began := time.Now()
	at, err := p.Observer()
	if err != nil {
		return nil, nil, err
	}
	orders := []suite.Order{tests}
	if p.About.Isolated {
		orders = p.Groups.Split(tests)
	}
	var traces []*state.Trace
	var heaps []*state.Heap
	within := look.Within
	for endings := 0; len(orders) > 0; orders = orders[1:] {
		if within > 0 {
			look.Within = max(within-time.Since(began), time.Second)
		}
		seen, err := at.Observe(ctx, orders[0], look)
		if err != nil {
			return nil, nil, err
		}
		traces, heaps = append(traces, seen.Trace), append(heaps, seen.Heap)
		rest, note := unseen(seen.Run)
		if note != "" {
			seen.Trace.Note(note)
			if seen.Heap != nil {
				seen.Heap.EndedEarly()
			}
			endings++
		}
		if within > 0 && time.Since(began) >= within {
			if rest = slices.Concat(rest, suite.Join(orders[1:]...)); len(rest) > 0 {
				seen.Trace.Note(fmt.Sprintf("%s before %d of %d tests (%s and those after it). Orders are guided by the %s of the others; "+
					"a larger --budget observes more.", NotInTime, len(rest), len(tests), rest[0], p.Groups.Nouns().State))
			}
			break
		}
		if len(rest) > 0 && endings <= maxRestarts {
			orders = slices.Insert(orders, 1, rest)
		} else if len(rest) > 0 {
			seen.Trace.Note(fmt.Sprintf("%d tests from %s on were not observed", len(rest), rest[0]))
		}
	}
	r := state.Relate(traces...)
	r.Apart = p.About.Isolated
	s.Log.Info("observed", zap.Int("tests", len(r.Tests)), zap.Int("fields", len(r.Fields)), zap.Any("pairs", r.Count()),
		zap.Duration("took", time.Since(began)), zap.Strings("notes", r.Notes))
	return r, heaps, nil
}

// unseen returns the tests after the one that ended the process.
func unseen(run *suite.Run) (rest suite.Order, note string) {
	if run.Crash == nil {
		return nil, ""
	}
	at := slices.IndexFunc(run.Results, func(r suite.Result) bool { return r.Outcome == suite.Unresolved })
	if at < 0 {
		return nil, ""
	}
	why, _, _ := strings.Cut(run.Crash.Detail, "\n")
	return run.Order[at+1:], fmt.Sprintf("the process that was observed ended in %s: %s", run.Order[at], why)
}
