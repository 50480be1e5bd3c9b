package detect

import (
	"crypto/sha256"
	"slices"

	"github.com/odfix/odfix/internal/suite"
)

const originalName = "the original order"

// own is the suite's own order, or the part of it that the build runs in one process.
type own struct {
	order suite.Order
	runs  int  // how many runs were requested
	ran   bool // it gave outcomes
}

// divide cuts the suite's own order into the parts that the build runs in separate processes, and
// the orders of the stages, too. Without Input.Isolated there is one part.
func (s *Search) divide() {
	if !s.in.Isolated {
		if len(s.in.Tests) > 0 {
			s.own = []*own{{order: s.in.Tests}}
		}
		return
	}
	for _, o := range s.in.Groups.Split(s.in.Tests) {
		s.own = append(s.own, &own{order: o})
	}
	s.in.Outcomes.divide()
	known := map[partKey]bool{}
	for _, o := range s.own {
		known[keyOf(o.order)] = s.in.Observed == nil || !s.in.Observed.Later
	}
	s.in.Stages = divided(s.in.Stages, s.in.Groups, known)
}

type partKey [sha256.Size]byte

func keyOf(o suite.Order) partKey { return sha256.Sum256([]byte(o.Key())) }

// ownOf returns the part of the suite's own order that holds the first of the tests. It is empty if
// the suite does not hold that test.
func (s *Search) ownOf(tests ...suite.TestID) *own {
	for _, o := range s.own {
		if len(tests) > 0 && (!s.in.Isolated || s.in.Groups.Same(o.order[0], tests[0])) {
			return o
		}
	}
	return &own{}
}

// original returns a run of the suite's own order. The first such run is exclusive, so that its
// outcomes are those that the build would have.
func (s *Search) original(o *own) *task {
	o.runs++
	return &task{what: scheduled, order: slices.Clone(o.order), exclusive: o.runs == 1, name: originalName}
}

// originalAgain requests another run of the suite's own order, in parallel with others. A test
// whose two outcomes differ is flaky.
func (s *Search) originalAgain(o *own) {
	if o.runs == 1 {
		s.extra++
		s.waiting = append(s.waiting, s.original(o))
	}
}

// compare requests a second run of the suite's own order if the outcomes of the first differ from
// the observed ones.
func (s *Search) compare(t *task) {
	if t.name != originalName {
		return
	}
	o := s.ownOf(t.order...)
	o.ran = true
	if s.in.Observed == nil {
		return
	}
	failed := set(s.in.Observed.Failed)
	for i, id := range t.order {
		if (t.run.At(i).Outcome == suite.Fail) != failed[id] {
			s.originalAgain(o)
			return
		}
	}
}

// maxKnown is after how many orders in a row without a new part a stage ends: all orders of small
// groups have run then, with the greatest likelihood.
const maxKnown = 1000

// divided cuts the orders of the stages into the parts that the build runs in separate processes.
// Each part runs once only, whatever stands before and after it. known are parts that ran before.
func divided(stages []Stage, groups *suite.Groups, known map[partKey]bool) []Stage {
	out := slices.Clone(stages)
	for i, st := range stages {
		out[i].Total = 0
		out[i].Orders = func(yield func(suite.Order) bool) {
			repeated := 0
			for o := range st.Orders {
				repeated++
				for _, part := range groups.Split(o) {
					key := keyOf(part)
					if known[key] {
						continue
					}
					known[key], repeated = true, 0
					if !yield(part) {
						return
					}
				}
				if repeated == maxKnown {
					return
				}
			}
		}
	}
	return out
}
