package engine

import (
	"slices"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// Test executions a proof spends on the classes of the fixed tests. Tuscan
// squares grow with the cube of a class: all rows of one with 24 tests fit, of
// one with 163 tests a few do; several classes share the executions, but each has
// enough for all rows of 12 tests. What the rest would show, that no other test of
// the class directly before a fixed one breaks it, neighbourOrders shows in one
// process for each fixed test.
const (
	rowExecutions   = 600
	leastExecutions = 144
	neighbourVisits = 20
	// visitsPerProcess bounds one order of neighbours.
	visitsPerProcess = 20
)

// rowsOf are rows of the Tuscan squares of the tests' classes, by class, each cut
// behind the last of the tests in question: what runs later cannot matter to
// them. At most as many are returned as the given number of test executions
// allows, spread evenly; zero allows all. The second result is how many there are.
func rowsOf(g *suite.Groups, original suite.Order, tests []suite.TestID, executions int) (byClass [][]suite.Order, of int) {
	classes := groupsOf(g, original, tests)
	if executions > 0 && len(classes) > 0 {
		executions = max(executions/len(classes), leastExecutions)
	}
	for _, members := range classes {
		var rows []suite.Order
		n := order.TuscanCount(len(members))
		of += n
		step := 1
		if executions > 0 {
			step = max(1, (n*len(members)+executions-1)/executions)
		}
		i := -1
		for places := range order.TuscanRows(len(members)) {
			if i++; i%step != 0 {
				continue
			}
			row := make(suite.Order, len(members))
			for k, at := range places {
				row[k] = members[at]
			}
			if cut := lastOf(row, tests); cut > 0 {
				rows = append(rows, row[:cut])
			}
		}
		byClass = append(byClass, rows)
	}
	return byClass, of
}

// neighbourOrders holds, for each test, one order in which other tests of its
// class run directly before it: [t1, v, t2, v, …]. The class is entered again
// for each, so visits is how many such neighbours there may be in all, and
// perProcess how many in one order; where
// there are more, they are a sample, spread evenly. Zero allows all. The other
// results are how many neighbours stand in the orders, and of how many.
func neighbourOrders(g *suite.Groups, original suite.Order, tests []suite.TestID, visits,
	perProcess int) (out []suite.Order, asked, of int) {
	type neighbour struct{ t, v suite.TestID }
	var all []neighbour
	for _, members := range groupsOf(g, original, tests) {
		for _, v := range tests {
			for _, t := range members {
				if t != v && slices.Contains(members, v) {
					all = append(all, neighbour{t, v})
				}
			}
		}
	}
	step := 1
	if visits > 0 {
		step = max(1, (len(all)+visits-1)/visits)
	}
	for i := 0; i < len(all); i += step {
		n := all[i]
		if asked == 0 || out[len(out)-1][1] != n.v || len(out[len(out)-1]) >= 2*perProcess {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], n.t, n.v)
		asked++
	}
	return out, asked, len(all)
}

// surround fills in what a proof asks of the classes of the fixed tests.
func (p *module) surround(in *repair.ProofInput, steady, fixed []suite.TestID, all bool) {
	in.All = all
	rows, neighbours := rowExecutions, neighbourVisits
	if all {
		rows, neighbours = 0, 0
	}
	perProcess := visitsPerProcess
	if p.about.Once {
		perProcess = 1
	}
	members := without(p.original, in.Left)
	in.Rows, in.RowsOf = rowsOf(p.groups, members, fixed, rows)
	if p.about.Once && whole(in) {
		return // in all rows of a square, each test runs directly after each other
	}
	in.Neighbours, in.NeighboursAsked, in.NeighboursOf = neighbourOrders(p.groups, members, steady, neighbours, perProcess)
}

// whole reports whether a proof asks all rows of the squares.
func whole(in *repair.ProofInput) bool {
	n := 0
	for _, rows := range in.Rows {
		n += len(rows)
	}
	return n > 0 && n == in.RowsOf
}

// groupsOf are the tests of each outermost group that holds one of the given tests.
func groupsOf(g *suite.Groups, original suite.Order, tests []suite.TestID) []suite.Order {
	var out []suite.Order
	done := map[string]bool{}
	for _, t := range tests {
		if done[g.Top(t)] {
			continue
		}
		done[g.Top(t)] = true
		var members suite.Order
		for _, m := range original {
			if g.Same(m, t) {
				members = append(members, m)
			}
		}
		if len(members) > 0 {
			out = append(out, members)
		}
	}
	return out
}

// lastOf is one more than the position of the last of the tests in o.
func lastOf(o suite.Order, tests []suite.TestID) int {
	for i := len(o) - 1; i >= 0; i-- {
		if slices.Contains(tests, o[i]) {
			return i + 1
		}
	}
	return 0
}
