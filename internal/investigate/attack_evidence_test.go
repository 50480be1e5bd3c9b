package investigate

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/odfix/odfix/internal/ci"
	"github.com/odfix/odfix/internal/suite"
)

// TestAttackMuchEvidence: a log of a fork's pull request names as many failing tests and as long
// orders as its author likes, before anybody has approved it. The time to choose among them grows
// with their number only, and few of them are kept.
func TestAttackMuchEvidence(t *testing.T) {
	for _, tool := range []ci.Tool{"", ci.Jest} {
		g := gathering{}
		for source := range 12 {
			ev := ci.Evidence{Tool: tool, Provenance: suite.Exact, Source: fmt.Sprintf("log %d", source)}
			for i := range 60_000 {
				name := fmt.Sprintf("a.b%d.C%dTest#m%d", source, i%100, i)
				if tool == ci.Jest { // names that all may mean the same test
					name = fmt.Sprintf("%s/b%d_%d.test.js#cart is empty", strings.Repeat("a/", 20), source, i)
				}
				ev.Tests, ev.Failed = append(ev.Tests, name), append(ev.Failed, name)
			}
			ev.Parts = []ci.Part{{Module: "m", Tests: ev.Tests, Failed: ev.Failed}}
			g.keep(sourced{ev: ev})
		}
		ev := g.best()
		if n := len(ev.Tests) + len(ev.Spare); n == 0 || n > 2*mostFailing || len(ev.Order.Failed) > mostFailing {
			t.Errorf("%q: %d failing tests are kept, %d of the order", tool, n, len(ev.Order.Failed))
		}
		if g.kept > mostEvidence+(1<<20) {
			t.Errorf("%q: %d bytes of names are kept", tool, g.kept)
		}
		orders := 0
		for _, x := range g.found {
			if len(x.ev.Tests) > 0 {
				orders++
			}
		}
		if notes := strings.Join(ev.Notes, " "); orders == 0 || orders == len(g.found) || !strings.Contains(notes, "too long to be kept") ||
			!strings.Contains(notes, "after the first 5000 are left out") {
			t.Errorf("%q: %d orders of %d sources, notes %q", tool, orders, len(g.found), notes)
		}
	}
}

// TestAttackManyFolders: the folder of a build is looked for with a few of the failing tests, and
// ends after a number of files, however many packages and names there are.
func TestAttackManyFolders(t *testing.T) {
	sources := fstest.MapFS{"a/b/CTest.java": {}, "a/b/DTest.java": {}}
	names := []string{"a.b.CTest#works"}
	for i := range 10_000 {
		names = append(names, fmt.Sprintf("a.b.X%dTest#works", i))
	}
	l := newLook(sources, names)
	if len(l.tests) != mostLocating || !l.holdsAny(".") {
		t.Errorf("%d tests are looked for, and the first is not found", len(l.tests))
	}
	if l.left = 2; l.holdsAny(".") || l.left >= 0 {
		t.Errorf("it looks at more files than it may: %d are left", l.left)
	}
}

// An order that is too long takes nothing from the sources after it.
func TestTooLongAnOrder(t *testing.T) {
	long := ci.Evidence{Provenance: suite.Exact, Source: "a long log", Failed: []string{"a.ATest#fails"}}
	for i := range 400_000 {
		long.Tests = append(long.Tests, fmt.Sprintf("a.b.c.d.CTest#aTestWithANameOfItsOwn%d", i))
	}
	short := ci.Evidence{Provenance: suite.Partial, Source: "a log", Tests: []string{"a.BTest#passes", "a.BTest#fails"}, Failed: []string{"a.BTest#fails"}}
	g := gathering{}
	g.keep(sourced{ev: long})
	g.keep(sourced{ev: short})
	ev := g.best()
	if ev.Order.Source != "a log" || len(ev.Order.Tests) != 2 || len(ev.Tests)+len(ev.Spare) != 2 {
		t.Errorf("order %q of %d tests, failing %v, %v", ev.Order.Source, len(ev.Order.Tests), ev.Tests, ev.Spare)
	}
}
