package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// TestVictimsOfAGroup checks that many victims of two tests that pollute together are explained
// together, like those of one polluter.
func TestVictimsOfAGroup(t *testing.T) {
	w := newWorld()
	w.width = 2
	a := w.add("a.OpenTest#opens", sets("open", 1))
	b := w.add("b.FillTest#fills", func(p *proc) suite.Outcome {
		if p.vars["open"] == 1 {
			p.vars["x"] = 1
		}
		return suite.Pass
	})
	w.add("c.CleanTest#closes", sets("open", 0))
	var failing suite.Order
	for i := range cohort.Large + 20 {
		victim := needs("x", 0)
		if i%10 == 9 { // it pollutes like the second one
			victim = func(p *proc) suite.Outcome {
				out := passIf(p.vars["x"] == 0)
				w.tests[b](p)
				return out
			}
		}
		failing = append(failing, w.add(suite.TestID(fmt.Sprintf("v.V%02dTest#t%d", i/5, i)), victim))
	}
	of := map[suite.TestID]suite.Order{}
	for i := range 12 { // of the first one alone
		id := w.add(suite.TestID(fmt.Sprintf("w.W%dTest#t%d", i/5, i)), needs("open", 0))
		of[id] = suite.Order{a}
	}
	w.cohortWorld = true
	seen := []suite.Seen{{Source: "the report", Provenance: suite.Exact, Order: suite.Join(suite.Order{a, b}, failing)}}
	for id := range of {
		failing = append(failing, id)
	}
	slices.Sort(failing)
	res := w.diagnose(t, Input{Groups: groups, Suite: w.suite(), Failing: failing, Seen: seen})
	noted := 0
	for _, r := range res.Tests {
		want := suite.Order{a, b}
		if of[r.Test] != nil {
			want = of[r.Test]
		}
		if r.Verdict != suite.Victim || len(r.Polluters) == 0 || !slices.Equal(r.Polluters[0], want) {
			t.Errorf("%s is %s by %v: %s", r.Test, r.Verdict, r.Polluters, r.Reason)
		}
		w.holds(t, r)
		if slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "none of its 2 tests can be removed") }) {
			noted++
		}
	}
	if noted != len(failing)-len(of)-1 { // the first one is explained by itself
		t.Errorf("%d of %d have the note that the group was minimised for another test", noted, len(failing)-len(of))
	}
	if w.runs > 4*len(failing) { // by themselves they take more than ten each
		t.Errorf("%d processes for %d tests", w.runs, len(failing))
	}
}
