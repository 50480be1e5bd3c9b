package order

import (
	"iter"
	"slices"
)

// windowTests limits the number of tests in all orders of a window, and maxWindow the number of
// orders.
const (
	windowTests = 1 << 21
	maxWindow   = 1 << 10
)

// promisingFirst yields the same orders, sorted: first those with the most pairs of the relation
// that are not covered yet. It sorts within a window of orders; if there are few orders, the window
// holds all of them.
func (t *tree) promisingFirst(orders iter.Seq[[]int], rel Pairs) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		open := map[[2]int32]bool{}
		for x, y := range t.coverable(rel) {
			open[[2]int32{int32(x), int32(y)}] = true
		}
		w := window{open: open}
		size := max(1, min(maxWindow, windowTests/len(t.ids)))
		next, stop := iter.Pull(orders)
		defer stop()
		for more := true; ; {
			for more && len(w.orders) < size {
				var o []int
				if o, more = next(); more {
					w.add(o)
				}
			}
			if len(w.orders) == 0 || !yield(w.take()) {
				return
			}
		}
	}
}

type window struct {
	open   map[[2]int32]bool
	orders []candidate
}

// candidate is an order with an upper bound for the number of new pairs in it. The bound is the
// number when they were last counted.
type candidate struct {
	order []int
	worth int
}

func (w *window) add(o []int) { w.orders = append(w.orders, candidate{o, w.worth(o)}) }

func (w *window) worth(o []int) int {
	n := 0
	for i := 1; i < len(o) && len(w.open) > 0; i++ {
		if w.open[[2]int32{int32(o[i-1]), int32(o[i])}] {
			n++
		}
	}
	return n
}

// take removes the most promising order; of equal ones, the earliest. The number of new pairs never
// rises, so an order that still leads after a new count is the best.
func (w *window) take() []int {
	for {
		best := 0
		for i, c := range w.orders {
			if c.worth > w.orders[best].worth {
				best = i
			}
		}
		c := w.orders[best]
		now := w.worth(c.order)
		if now < c.worth {
			w.orders[best].worth = now
			continue
		}
		w.orders = slices.Delete(w.orders, best, best+1)
		for i := 1; i < len(c.order) && len(w.open) > 0; i++ {
			delete(w.open, [2]int32{int32(c.order[i-1]), int32(c.order[i])})
		}
		return c.order
	}
}
