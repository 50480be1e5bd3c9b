package state

import (
	"maps"
	"slices"
	"strings"

	"github.com/odfix/odfix/internal/suite"
)

// Capture describes what one segment of an observed run changed: in the objects that static fields
// lead to, and in the state of the process.
type Capture struct {
	Kind     byte // as in Segment
	Position int
	Objects  int   // visited
	Roots    int   // static fields, and other parts of the process's state
	Cut      bool  // more could be reached than was visited
	Micros   int64 // that it took
	Changes  []Change
}

// Change is one value that differs from before.
type Change struct {
	Field  string // the static field, or the part of the process's state, as in a Relation
	Path   string // the access path, which begins with Field
	Before string // for people
	After  string
	Fresh  bool   // its class was initialised in this segment: Before is the value after that
	By     string // the line that wrote it last; it begins with "?" if the method that writes the static field reads it first
	// Also are other static fields that lead to the object that changed.
	Also []string
}

// Heap collects the captures of one process that ran one order.
type Heap struct {
	tests    suite.Order
	groups   *suite.Groups
	captures []Capture
	early    bool
}

// NewHeap begins an order that holds no test twice.
func NewHeap(order suite.Order, groups *suite.Groups) *Heap {
	return &Heap{tests: slices.Clone(order), groups: groups}
}

// Capture adds the next capture. The caller has checked its position.
func (h *Heap) Capture(c Capture) { h.captures = append(h.captures, c) }

// EndedEarly records that the process ended before its order did.
func (h *Heap) EndedEarly() { h.early = true }

// left is a change that a test leaves.
type left struct {
	Change
	test   int // by position
	during During
	at     int // the capture that showed it
	// restored means that the setup or teardown of the class restores what the test changed.
	restored bool
}

// net returns the changes that tests leave. PolDet captures state before the constructor and after
// the teardown of a test (section 4.2), so what runs between two tests of a class counts for the
// second test. Changes by setup and by teardown of a class are joined: only what both together
// leave counts.
func (h *Heap) net() []left {
	var out []left
	for begin := 0; begin < len(h.captures); {
		if h.captures[begin].Kind == 'o' {
			begin++
			continue
		}
		end := h.visitEnd(begin)
		out = append(out, h.visit(begin, end)...)
		begin = end
	}
	return out
}

// visitEnd is the first capture after those of the visit.
func (h *Heap) visitEnd(begin int) int {
	first := h.tests[h.captures[begin].Position]
	for at := begin; at < len(h.captures); at++ {
		if c := h.captures[at]; c.Kind != 'o' && !h.groups.Same(h.tests[c.Position], first) {
			return at
		}
	}
	return len(h.captures)
}

// visit returns the net changes of the tests of one visit.
func (h *Heap) visit(begin, end int) []left {
	type key struct {
		path  string
		owner int // position, or -1 for setup and teardown
	}
	index := map[key]int{}
	var all []left
	first := h.captures[begin].Position
	for at := begin; at < end; at++ {
		c := h.captures[at]
		owner, during := c.Position, DuringTest
		switch {
		case c.Kind == 'o':
			continue
		case c.Kind == 'b' && c.Position == first:
			owner, during = -1, DuringSetup
		case c.Kind == 'a':
			owner, during = -1, DuringTeardown
		}
		for _, ch := range c.Changes {
			if owner < 0 {
				markRestored(all, ch)
			}
			k := key{ch.Path, owner}
			if i, ok := index[k]; ok {
				all[i].After, all[i].By, all[i].at, all[i].during = ch.After, ch.By, at, during
				all[i].Also = merged(all[i].Also, ch.Also)
				continue
			}
			index[k] = len(all)
			all = append(all, left{Change: ch, test: c.Position, during: during, at: at})
		}
	}
	return slices.DeleteFunc(all, func(l left) bool { return l.Before == l.After })
}

// merged returns the names of both lists, sorted.
func merged(a, b []string) []string {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// markRestored marks changes of tests that the class's setup or teardown undoes.
func markRestored(all []left, ch Change) {
	for i := range all {
		if all[i].during == DuringTest && all[i].Path == ch.Path {
			all[i].restored = all[i].Before == ch.After
		}
	}
}

// changed counts, for each path, the captures in which it changed.
type changed struct {
	times map[string]int
	paths []string // sorted
}

func (h *Heap) changed() changed {
	out := changed{times: map[string]int{}}
	for _, c := range h.captures {
		seen := map[string]bool{}
		for _, ch := range c.Changes {
			if !seen[ch.Path] {
				seen[ch.Path] = true
				out.times[ch.Path]++
			}
		}
	}
	out.paths = slices.Sorted(maps.Keys(out.times))
	return out
}

// moment is the first capture that shows a path changed, and what it held before.
type moment struct {
	at     int
	before string
}

// first returns what each path held before any test changed it.
func (h *Heap) first() map[string]moment {
	out := map[string]moment{}
	for at, c := range h.captures {
		for _, ch := range c.Changes {
			if _, ok := out[ch.Path]; !ok {
				out[ch.Path] = moment{at, ch.Before}
			}
		}
	}
	return out
}

// once reports whether the path changed only once, and nothing below it ever.
func (c changed) once(path string) bool {
	if c.times[path] != 1 {
		return false
	}
	i, _ := slices.BinarySearch(c.paths, path)
	for _, p := range c.paths[i+1:] {
		if !strings.HasPrefix(p, path) {
			return true
		}
		if within(p, path) {
			return false
		}
	}
	return true
}

// within reports whether the path equals of or is below it.
func within(path, of string) bool {
	rest, ok := strings.CutPrefix(path, of)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}
