package detect

import (
	"iter"

	"github.com/odfix/odfix/internal/suite"
)

// orders yields orders one at a time, as order.Schedule does.
type orders = iter.Seq[suite.Order]

// inSequence yields the orders of each, one after the other.
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

// inTurns yields the orders of first, and one of others each time these hold n further tests. An
// order with fewer than least tests counts as least. In the end inTurns yields the remaining orders
// of others.
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

// eachAlone yields an order for each test, with this test only.
func eachAlone(tests []suite.TestID) orders {
	return func(yield func(suite.Order) bool) {
		for _, t := range tests {
			if !yield(suite.Order{t}) {
				return
			}
		}
	}
}
