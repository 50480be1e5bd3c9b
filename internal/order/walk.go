package order

// walker covers the pairs of a group whose children are all tests, or of a single test. It goes
// from test to test along pairs that are not covered yet.
type walker struct {
	n             *node
	pairs, urgent *pairs // nil if no pairs are wanted
	placed        []bool
}

var _ filler = (*walker)(nil)

func (w *walker) set() *pairs {
	if w.pairs == nil {
		w.pairs = newPairs(w.n)
		w.placed = make([]bool, w.n.size())
	}
	return w.pairs
}

func (w *walker) askAll() {
	if !w.n.fixed && !w.n.leaf() {
		w.set().fill()
	}
}

func (w *walker) ask(x, y int, urgent bool) {
	w.set().add(x, y)
	if urgent {
		if w.urgent == nil {
			w.urgent = newPairs(w.n)
		}
		w.urgent.add(x, y)
	}
}

func (w *walker) left() leftover {
	if w.pairs == nil {
		return leftover{}
	}
	return leftover{all: w.pairs.total}
}

func (w *walker) cover(x, y int) {
	if w.pairs != nil {
		w.pairs.remove(x, y)
	}
	if w.urgent != nil {
		w.urgent.remove(x, y)
	}
}

func (w *walker) fill(out []int, first, last int) []int {
	if w.n.fixed || w.n.leaf() {
		for x := w.n.lo; x < w.n.hi; x++ {
			out = append(out, x)
		}
		return out
	}
	w.set()
	clear(w.placed)
	left := w.n.size()
	if last >= 0 {
		w.placed[last-w.n.lo] = true
		left--
	}
	for at := first; left > 0; left-- {
		if at < 0 {
			at = w.most()
		}
		w.placed[at-w.n.lo] = true
		out = append(out, at)
		at = w.step(at)
	}
	if last >= 0 {
		out = append(out, last)
	}
	return out
}

// step returns the best test to go to from x, or -1 if x has no pairs left.
func (w *walker) step(x int) int {
	if w.urgent != nil {
		if y := w.along(w.urgent, x); y >= 0 {
			return y
		}
	}
	return w.along(w.pairs, x)
}

// looks is the largest number of next tests that are compared at one step.
const looks = 64

// along returns the next test after x: of the tests not placed yet, the one with the most pairs
// left.
func (w *walker) along(p *pairs, x int) int {
	best, most, seen := -1, int32(-1), 0
	if p.out[x-w.n.lo] == 0 {
		return -1
	}
	p.after(x, w.n.lo, w.n.hi, func(y int) bool {
		if !w.placed[y-w.n.lo] {
			seen++
			if s := p.out[y-w.n.lo]; s > most {
				best, most = y, s
			}
		}
		return seen < looks
	})
	return best
}

// most returns the test, of those not placed yet, with the most pairs left.
func (w *walker) most() int {
	from := w.pairs
	if w.urgent != nil && w.urgent.total > 0 {
		from = w.urgent
	}
	best, most := -1, int32(-1)
	for i, placed := range w.placed {
		if !placed && from.out[i] > most {
			best, most = w.n.lo+i, from.out[i]
			if from.total == 0 {
				break
			}
		}
	}
	return best
}
