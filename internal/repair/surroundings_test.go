package repair

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestNeighboursShareProcesses checks that neighbours of many tests run in few processes. If a test
// fails in one of them, its orders run separately, and only those results count.
func TestNeighboursShareProcesses(t *testing.T) {
	for _, c := range []struct {
		name      string
		last      suite.Order
		processes int
		ok        bool
	}{
		{"all pass", suite.Order{"N#neutral", "V#one"}, 2, true},
		{"one disturbs those after it", suite.Order{"D#disturbs", "N#neutral"}, 13, true},
		{"one fails by itself", suite.Order{"P#pollute", "V#one"}, 14, false},
	} {
		w := registry()
		w.tests["D#disturbs"] = func(s map[string]bool) bool { s["disturbed"] = true; return true }
		w.tests["V#one"] = func(s map[string]bool) bool { return !s["dirty"] && !s["disturbed"] }
		in := proof(w)
		in.Neighbours = []suite.Order{c.last}
		for range 20 {
			in.Neighbours = append(in.Neighbours, suite.Order{"N#neutral", "V#one"})
		}
		pr := &prover{p: &Patcher{Groups: groups, Runner: w}, c: &Candidate{}, in: in, patched: site{w, ""}, fixes: []suite.TestID{"V#one"}}
		if err := pr.neighbours(context.Background()); err != nil {
			t.Fatal(err)
		}
		if len(pr.checks) != 1 || pr.checks[0].OK != c.ok || w.runs != c.processes {
			t.Errorf("%s: %d processes, %+v", c.name, w.runs, pr.checks)
		}
	}
}

func TestPacked(t *testing.T) {
	long := make(suite.Order, mostPacked+1)
	for i := range long {
		long[i] = suite.TestID(fmt.Sprintf("A#%d", i))
	}
	short := suite.Order{"A#x", "A#y"}
	for _, c := range []struct {
		orders    []suite.Order
		processes int
		want      [][]suite.Order
	}{
		{[]suite.Order{short, long, short, short}, 1, [][]suite.Order{{short}, {long}, {short, short}}},
		{[]suite.Order{short, short, short, short}, 1, [][]suite.Order{{short, short, short, short}}},
		{[]suite.Order{short, short, short, short}, 2, [][]suite.Order{{short, short}, {short, short}}},
		{[]suite.Order{short}, 4, [][]suite.Order{{short}}},
	} {
		got := packed(c.orders, c.processes)
		if !slices.EqualFunc(got, c.want, func(a, b []suite.Order) bool { return slices.EqualFunc(a, b, slices.Equal) }) {
			t.Errorf("%d orders, %d processes: %v", len(c.orders), c.processes, got)
		}
	}
}
