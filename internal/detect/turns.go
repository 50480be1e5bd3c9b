package detect

import (
	"iter"

	"github.com/odfix/odfix/internal/suite"
)

// orders make orders one at a time, as order.Schedule does.
type orders = iter.Seq[suite.Order]

// inSequence yields what each makes, one after the other.
func inSequence(of ...orders) orders {
	return func(yield func(suite.Order) bool) {
		for _, some := range of {
			for o := range some {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// inTurns yields one of the others whenever the first hold n tests more, orders that hold fewer
// counting as that many, and what is left of either.
func inTurns(n, least int, first, others orders) orders {
	return func(yield func(suite.Order) bool) {
		next, stop := iter.Pull(others)
		defer stop()
		held := 0
		for o := range first {
			if !yield(o) {
				return
			}
			if held += max(least, len(o)); held < n {
				continue
			}
			held -= n
			if o, ok := next(); ok && !yield(o) {
				return
			}
		}
		for o, ok := next(); ok; o, ok = next() {
			if !yield(o) {
				return
			}
		}
	}
}

// eachAlone are the tests, each by itself.
func eachAlone(tests []suite.TestID) orders {
	return func(yield func(suite.Order) bool) {
		for _, t := range tests {
			if !yield(suite.Order{t}) {
				return
			}
		}
	}
}
