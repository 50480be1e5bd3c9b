package ddmin

import (
	"encoding/binary"
	"slices"
)

type phase int8

const (
	phaseFull   phase = iota // does the whole sequence answer yes?
	phaseHalve               // optimistic halving towards one element
	phaseNeed                // are the elements that are known to be needed enough?
	phaseSuffix              // binary search for the next needed element
	phaseSweep               // try to remove chunks, and at last single elements
)

// state is one point of the search. next returns a new state and never changes the slices of an old
// one, so that the search can be continued with assumed answers.
type state struct {
	phase phase
	best  []int // the smallest set known to answer yes, ascending
	need  []int // elements that belong to the result, in search order
	rest  []int // candidates in addition to need, in search order; need+rest answers yes
	lo    int   // halve: window [lo,hi) of rest; suffix: need+rest[lo:] answers yes
	hi    int   // suffix: need+rest[hi:] does not answer yes, or was never asked
	sure  bool  // halve: the window itself answered yes
	chunk int   // sweep: how many elements of best are tried at once
	at    int   // sweep: first of them
	dirty bool  // sweep: something was removed in this pass
}

// question is a set of positions to ask about.
type question struct {
	set []int // ascending
	key string
}

// plan decides what to ask next. It never changes.
type plan struct {
	n       int
	order   []int // all positions in search order: positions to keep come last
	group   []int // number of the group that a position belongs to
	close   func([]int) []int
	emptyNo bool
}

func newPlan[T any](items []T, opts Options[T]) *plan {
	n := len(items)
	p := &plan{n: n, order: make([]int, n), group: make([]int, n), close: opts.Close, emptyNo: opts.EmptyNo}
	for i := range p.order {
		p.order[i] = i
		if i > 0 {
			p.group[i] = p.group[i-1]
			if opts.SameGroup != nil && !opts.SameGroup(items[i-1], items[i]) {
				p.group[i]++
			}
		}
	}
	if !opts.FromEnd {
		slices.Reverse(p.order)
	}
	return p
}

func (p *plan) start(fullYes bool) state {
	all := make([]int, p.n)
	for i := range all {
		all[i] = i
	}
	st := state{phase: phaseFull, best: all}
	if fullYes {
		return p.halve(st, nil, p.order)
	}
	return st
}

// question returns the next question of st, or true if st is final.
func (p *plan) question(st state) (question, bool) {
	switch st.phase {
	case phaseFull:
		return p.ask(st.best), false
	case phaseHalve:
		if st.hi-st.lo == 1 {
			return p.ask(st.need, st.rest[st.lo:st.hi]), false
		}
		return p.ask(st.need, st.rest[p.cut(st):st.hi]), false
	case phaseNeed:
		return p.ask(st.need), false
	case phaseSuffix:
		return p.ask(st.need, st.rest[p.cut(st):]), false
	}
	if st.at >= len(st.best) {
		return question{}, true
	}
	end := min(st.at+st.chunk, len(st.best))
	return p.ask(st.best[:st.at], st.best[end:]), false
}

// next is the state after the answer a to st's question q.
func (p *plan) next(st state, q question, a Answer) state {
	yes := a == Yes
	if yes && len(q.set) < len(st.best) {
		st.best = q.set
	}
	switch st.phase {
	case phaseFull:
		return p.halve(st, nil, p.order)
	case phaseHalve:
		return p.afterHalve(st, yes)
	case phaseNeed:
		if yes {
			return p.sweep(st)
		}
		return p.suffix(st)
	case phaseSuffix:
		return p.afterSuffix(st, yes)
	}
	return p.afterSweep(st, yes)
}

func (p *plan) halve(st state, need, rest []int) state {
	st.phase, st.need, st.rest = phaseHalve, need, rest
	st.lo, st.hi, st.sure = 0, len(rest), true
	if len(rest) == 0 || (len(rest) == 1 && len(need) == 0) {
		return p.sweep(st)
	}
	return st
}

func (p *plan) afterHalve(st state, yes bool) state {
	single := st.hi-st.lo == 1
	switch {
	case yes && single:
		return p.sweep(st)
	case yes:
		st.lo, st.sure = p.cut(st), true
	case single && len(st.need) == 0:
		return p.suffix(p.narrowed(st))
	case single:
		st = p.narrowed(st)
		st.phase = phaseNeed
		return st
	default:
		st.hi, st.sure = p.cut(st), false
	}
	if st.sure && st.hi-st.lo == 1 {
		return p.sweep(st)
	}
	return st
}

// narrowed limits rest to the elements of the smallest set that answered yes.
func (p *plan) narrowed(st state) state {
	in := make([]bool, p.n)
	for _, i := range st.best {
		in[i] = true
	}
	for _, i := range st.need {
		in[i] = false
	}
	rest := make([]int, 0, len(st.best))
	for _, i := range p.order {
		if in[i] {
			rest = append(rest, i)
		}
	}
	st.rest = rest
	return st
}

func (p *plan) suffix(st state) state {
	st.phase, st.lo, st.hi = phaseSuffix, 0, len(st.rest)
	return p.settleSuffix(st)
}

func (p *plan) afterSuffix(st state, yes bool) state {
	m := p.cut(st)
	if yes {
		st.lo = m
	} else {
		st.hi = m
	}
	return p.settleSuffix(st)
}

// settleSuffix continues once the next needed element is known.
func (p *plan) settleSuffix(st state) state {
	if st.hi-st.lo > 1 {
		return st
	}
	if len(st.rest) == 0 {
		return p.sweep(st)
	}
	need := append(slices.Clone(st.need), st.rest[st.lo])
	rest := st.rest[st.lo+1:]
	if len(need) == 1 && len(rest) > 0 {
		return p.halve(st, need, rest)
	}
	st.phase, st.need, st.rest = phaseNeed, need, rest
	return st
}

// sweep begins the last pass. Large sets are tried in larger chunks first.
func (p *plan) sweep(st state) state {
	st.phase, st.at, st.dirty, st.chunk = phaseSweep, 0, false, 1
	if len(st.best) > 8 {
		st.chunk = len(st.best) / 4
	}
	return p.settleSweep(st)
}

func (p *plan) afterSweep(st state, yes bool) state {
	if yes {
		st.dirty = true // best is another set now; the same position holds the next elements
	} else {
		st.at += st.chunk
	}
	return p.settleSweep(st)
}

// settleSweep skips removals that ask nothing new, and continues with smaller chunks.
func (p *plan) settleSweep(st state) state {
	for {
		if st.at >= len(st.best) {
			if st.chunk == 1 && !st.dirty || len(st.best) == 0 {
				st.at = len(st.best)
				return st
			}
			st.chunk, st.at, st.dirty = max(1, min(st.chunk/2, len(st.best)/2)), 0, false
			continue
		}
		q, _ := p.question(st)
		if len(q.set) >= len(st.best) || (p.emptyNo && len(q.set) == 0) {
			st.at += st.chunk
			continue
		}
		return st
	}
}

// cut returns where the window is divided: between groups if possible, as near to the middle as
// possible.
func (p *plan) cut(st state) int {
	mid := (st.lo + st.hi) / 2
	for d := 0; mid-d > st.lo || mid+d < st.hi; d++ {
		if i := mid + d; i < st.hi && p.between(st.rest, i) {
			return i
		}
		if i := mid - d; i > st.lo && p.between(st.rest, i) {
			return i
		}
	}
	return mid
}

// between reports whether one group ends and another begins before rest[i].
func (p *plan) between(rest []int, i int) bool {
	return p.group[rest[i-1]] != p.group[rest[i]]
}

// ask makes a question of the union of disjoint sets.
func (p *plan) ask(parts ...[]int) question {
	set := slices.Concat(parts...)
	slices.Sort(set)
	if p.close != nil {
		set = p.close(set)
	}
	return question{set: set, key: key(set)}
}

// key encodes an ascending set as lengths of alternating gaps and runs. Keys are short, and equal
// only for equal sets.
func key(set []int) string {
	var b []byte
	at := 0
	for i := 0; i < len(set); {
		j := i + 1
		for j < len(set) && set[j] == set[j-1]+1 {
			j++
		}
		b = binary.AppendUvarint(b, uint64(set[i]-at))
		b = binary.AppendUvarint(b, uint64(j-i))
		at, i = set[j-1]+1, j
	}
	return string(b)
}
