package state

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/odfix/odfix/internal/suite"
)

// observation is an order with its relation and captures.
type observation struct {
	trace *Trace
	heap  *Heap
}

func newObservation(fields ...string) (observation, map[string]int) {
	o := suite.Order{"a.A#x", "a.A#y", "b.B#x", "b.B#y"}
	s := observation{NewTrace(o, groups), NewHeap(o, groups)}
	number := map[string]int{}
	for i, p := range fields {
		s.trace.Field(p, false)
		number[p] = i
	}
	return s, number
}

// segment adds one segment in which fields were read, and its capture.
func (s observation) segment(kind byte, at int, read []int, changes ...Change) {
	s.trace.Segment(Segment{Kind: kind, Position: at, Read: read})
	s.heap.Capture(Capture{Kind: kind, Position: at, Objects: 10 * at, Roots: 3, Micros: 500000, Changes: changes})
}

func (s observation) found() (out []string) {
	for _, t := range Pollute(Relate(s.trace), s.heap).Tests {
		for _, q := range t.Pollutes {
			line := fmt.Sprintf("%s %s: %s → %s, %s, %s, %v", t.Test, q.Path, q.Before, q.After, q.Label, q.During, q.Readers)
			if q.Restored {
				line += " restored"
			}
			if q.Resets {
				line += " resets"
			}
			out = append(out, line)
		}
	}
	return out
}

func TestPollutionOfVisits(t *testing.T) {
	s, n := newObservation("F.f", "F.g")
	s.segment('o', 0, nil)
	s.segment('b', 0, []int{n["F.g"]}, Change{Field: "F.f", Path: "F.f", Before: "0", After: "1"},
		Change{Field: "F.g", Path: "F.g.h", Before: "0", After: "1"})
	s.segment('t', 0, nil, Change{Field: "F.g", Path: "F.g[1]", Before: "absent", After: "x"})
	s.segment('b', 1, nil, Change{Field: "F.g", Path: "F.g[2]", Before: "a", After: "b"}) // its constructor
	s.segment('t', 1, []int{n["F.g"]}, Change{Field: "F.g", Path: "F.g[2]", Before: "b", After: "c"})
	s.segment('a', 1, nil, Change{Field: "F.f", Path: "F.f", Before: "1", After: "0"},
		Change{Field: "F.g", Path: "F.g[1]", Before: "x", After: "absent"})
	s.segment('b', 2, []int{n["F.f"]})
	s.segment('t', 2, nil)
	s.segment('t', 3, []int{n["F.g"]}, Change{Field: "F.g", Path: "F.g[2]", Before: "c", After: "a"})
	want := []string{
		// The class itself restores F.f. What the setup leaves is for the class's own tests.
		"a.A#x F.g.h: 0 → 1, read, class setup, [b.B#y]",
		"a.A#x F.g[1]: absent → x, read, test, [a.A#y b.B#y] restored",
		// a.A#x is not listed, because its change belongs to its class's setup.
		"a.A#y F.g[2]: a → c, read, test, [b.B#y]",
		"a.A#y F.g[1]: x → absent, read, class teardown, [b.B#y] resets",
		"b.B#y F.g[2]: c → a, read, test, [a.A#x a.A#y] resets",
	}
	if diff := cmp.Diff(want, s.found()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestPollutionLabels(t *testing.T) {
	s, n := newObservation("F.f", "F.g")
	lazy := Change{Field: "F.f", Path: "F.f", Before: "null", After: "F", By: "?F.get(F.java:3)"}
	set := Change{Field: "F.g", Path: "F.g", Before: "null", After: "G", By: "F.set(F.java:9)"}
	deep := Change{Field: "F.g", Path: "F.g.table", Before: "null", After: "int[8]"}
	filled := Change{Field: "F.h", Path: "F.h.map", Before: "null", After: "HashMap of 0"}
	later := Change{Field: "F.h", Path: `F.h.map["a"]`, Before: "absent", After: "1"}
	s.segment('o', 0, nil)
	s.segment('t', 0, nil, lazy, set)
	s.segment('t', 1, []int{n["F.f"]}, deep, filled)
	s.segment('t', 2, []int{n["F.g"]}, later)
	want := []string{
		"a.A#x F.f: null → F, cache, test, [a.A#y]",
		"a.A#x F.g: null → G, read, test, [b.B#x]", // no test read it before it was set
		"a.A#y F.g.table: null → int[8], cache, test, [b.B#x]",
		"a.A#y F.h.map: null → HashMap of 0, not-read, test, []", // the value below it changed again
		`b.B#x F.h.map["a"]: absent → 1, not-read, test, []`,
	}
	if diff := cmp.Diff(want, s.found()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	s.trace.Failed(2) // b.B#x reads F.g, which a.A#x has set before
	want[1] = "a.A#x F.g: null → G, failing-reader, test, [b.B#x]"
	if diff := cmp.Diff(want, s.found()); diff != "" {
		t.Errorf("a reader fails: -want +got:\n%s", diff)
	}
	p := Pollute(Relate(s.trace), s.heap)
	p.Broken("a.A#x", "a.A#y", []string{"F.f"})
	p.Broken("a.A#x", "b.B#y", []string{"F.f"}) // does not read it
	p.Broken("a.A#x", "b.B#x", []string{"F.f"}) // reads another field only
	got := p.Tests[0].Pollutes
	if got[0].Label != Breaks || len(got[0].Breaks) != 1 || got[0].WrittenBy != "F.get(F.java:3)" || got[1].Label != Failing {
		t.Errorf("found %+v", got)
	}
	if p.Observed != 3 || p.Captures != 4 || p.Objects != 20 || p.Roots != 3 || p.Seconds != 2 || p.Cut {
		t.Errorf("counted %+v", p)
	}
}

// TestAtRisk checks that a test that was seen to pass with another test's state is left out.
func TestAtRisk(t *testing.T) {
	s, n := newObservation("F.f")
	f := n["F.f"]
	change := func(kind byte, at int, before, after int64, read ...int) {
		s.trace.Segment(Segment{Kind: kind, Position: at, Read: read, Values: []Value{{Field: f, Before: before, After: after}}})
	}
	s.trace.Segment(Segment{Kind: 't', Position: 0, Read: []int{f}}) // finds 1
	change('t', 1, 1, 2)
	s.trace.Segment(Segment{Kind: 't', Position: 2, Read: []int{f}}) // finds 2
	s.trace.Segment(Segment{Kind: 't', Position: 3})
	d := Relate(s.trace).AtRisk()
	if diff := cmp.Diff(map[suite.TestID][]string{"a.A#x": {"F.f"}}, d.Of("a.A#y", []string{"F.f"})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := d.Of("a.A#y", []string{"F.g"}); len(got) != 0 {
		t.Errorf("by another field: %v", got)
	}
	if got := d.Of("b.B#x", []string{"F.f"}); len(got) != 0 {
		t.Errorf("of a test that leaves nothing: %v", got)
	}
}

func TestOnce(t *testing.T) {
	h := NewHeap(suite.Order{"a.A#x"}, groups)
	h.Capture(Capture{Kind: 't', Changes: []Change{{Path: "F.f"}, {Path: "F.fx.y"}, {Path: "F.g"}, {Path: "F.g.h"}}})
	h.Capture(Capture{Kind: 't', Changes: []Change{{Path: "F.fx.y"}, {Path: "F.ga"}}})
	c := h.changed()
	for path, want := range map[string]bool{"F.f": true, "F.fx.y": false, "F.g": false, "F.g.h": true, "F.ga": true} {
		if c.once(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}

// A file is not a static field, so reads of it are not observed and not reported.
func TestPollutionOutsideOfFields(t *testing.T) {
	order := suite.Order{"a.T#x", "a.T#y"}
	tr, h := NewTrace(order, groups), NewHeap(order, groups)
	for at := range order {
		tr.Segment(Segment{Kind: 't', Position: at})
	}
	path := "file target/import.running"
	h.Capture(Capture{Kind: 't', Position: 0, Changes: []Change{{Field: path, Path: path, Before: "absent", After: "0 bytes"},
		{Field: "a.T.file x", Path: "a.T.f", Before: "1", After: "2"}}})
	h.Capture(Capture{Kind: 't', Position: 1})
	found := Pollute(Relate(tr), h)
	if len(found.Tests) != 1 || len(found.Tests[0].Pollutes) != 2 {
		t.Fatalf("found %+v", found.Tests)
	}
	if got := found.Tests[0].Pollutes[0].Label; got != Unobserved {
		t.Errorf("a file is labelled %q", got)
	}
	if got := found.Tests[0].Pollutes[1].Label; got != Unread {
		t.Errorf("a field is labelled %q", got)
	}
}

// TestPollutionByOtherWays checks that a test that reads another static field leading to the change
// is a reader, and can be reported as broken.
func TestPollutionByOtherWays(t *testing.T) {
	s, n := newObservation("F.f", "G.g", "H.h")
	change := Change{Field: "F.f", Path: "F.f.x", Before: "0", After: "1", Also: []string{"G.g"}}
	s.segment('t', 0, nil, change)
	s.segment('t', 1, []int{n["F.f"]})
	s.segment('t', 2, []int{n["G.g"]})
	s.segment('t', 3, []int{n["H.h"]})
	want := []string{"a.A#x F.f.x: 0 → 1, read, test, [a.A#y b.B#x]"}
	if diff := cmp.Diff(want, s.found()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	p := Pollute(Relate(s.trace), s.heap)
	if p.Partial {
		t.Error("the process did not end early")
	}
	s.heap.EndedEarly()
	if !Pollute(Relate(s.trace), s.heap, NewHeap(nil, groups)).Partial {
		t.Error("the process ended early")
	}
	p.Broken("a.A#x", "b.B#x", []string{"H.h"})
	if q := p.Tests[0].Pollutes[0]; len(q.Breaks) > 0 || !slices.Equal(q.Also, []string{"G.g"}) {
		t.Errorf("%+v", q)
	}
	p.Broken("a.A#x", "b.B#x", []string{"G.g"})
	if q := p.Tests[0].Pollutes[0]; q.Label != Breaks {
		t.Errorf("%+v", q)
	}
}

// TestPollutionReadByInitialisers has a class that reads a field when it is initialised and keeps
// the value, whichever test needs the class first.
func TestPollutionReadByInitialisers(t *testing.T) {
	s, n := newObservation("system property a.b")
	property := "system property a.b"
	s.segment('o', 0, nil)
	s.trace.Segment(Segment{Kind: 't', Position: 0, Values: []Value{{Field: n[property], Before: 0, After: 7}}})
	s.heap.Capture(Capture{Kind: 't', Changes: []Change{{Field: property, Path: property, Before: "absent", After: "many"}}})
	s.segment('t', 1, nil)
	s.trace.Segment(Segment{Kind: 't', Position: 2, InitRead: []int{n[property]}})
	s.heap.Capture(Capture{Kind: 't', Position: 2})
	s.trace.Failed(2)
	if diff := cmp.Diff([]string{"a.A#x system property a.b: absent → many, failing-reader, test, [b.B#x]"},
		s.found()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	atRisk := Relate(s.trace).AtRisk()
	if diff := cmp.Diff(map[suite.TestID][]string{"b.B#x": {property}}, atRisk.Of("a.A#x", []string{property})); diff != "" {
		t.Errorf("to be tried, -want +got:\n%s", diff)
	}
}
