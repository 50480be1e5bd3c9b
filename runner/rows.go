package main

import (
	"slices"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// Test executions a proof spends on the classes of the cured tests. Tuscan
// squares grow with the cube of a class: all rows of one with 30 tests fit, of
// one with 163 tests a few do. What the rest would show, that no other test of
// the class directly before a cured one breaks it, neighbourOrders shows in one
// process for each cured test.
const (
	rowExecutions       = 1000
	neighbourExecutions = 4000
)

// rowsOf are rows of the Tuscan squares of the tests' classes, each cut behind
// the last of the tests in question: what runs later cannot matter to them. At
// most as many are returned as the given number of test executions allows,
// spread evenly; zero allows all. The second result is how many there are.
func rowsOf(original suite.Order, tests []suite.TestID, executions int) (rows []suite.Order, of int) {
	for _, members := range classesOf(original, tests) {
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
	}
	return rows, of
}

// neighbourOrders holds, for each test, one order in which every other test of
// its class runs directly before it once: [t1, v, t2, v, …]. At least one order
// is returned, and no more than the number of test executions allows.
func neighbourOrders(original suite.Order, tests []suite.TestID, executions int) []suite.Order {
	var out []suite.Order
	spent := 0
	for _, members := range classesOf(original, tests) {
		for _, v := range tests {
			cost := 2 * (len(members) - 1)
			if cost == 0 || !slices.Contains(members, v) || len(out) > 0 && executions > 0 && spent+cost > executions {
				continue
			}
			spent += cost
			var o suite.Order
			for _, t := range members {
				if t != v {
					o = append(o, t, v)
				}
			}
			out = append(out, o)
		}
	}
	return out
}

// surround fills in what a proof asks of the classes of the cured tests.
func (p *project) surround(in *repair.ProofInput, steady, cured []suite.TestID, all bool) {
	rows, neighbours := rowExecutions, neighbourExecutions
	if all {
		rows, neighbours = 0, 0
	}
	in.Rows, in.RowsOf = rowsOf(p.original, cured, rows)
	in.Neighbours = neighbourOrders(p.original, steady, neighbours)
}

// classesOf are the tests of each class that holds one of the given tests.
func classesOf(original suite.Order, tests []suite.TestID) []suite.Order {
	var out []suite.Order
	done := map[string]bool{}
	for _, t := range tests {
		if done[t.Visit()] {
			continue
		}
		done[t.Visit()] = true
		var members suite.Order
		for _, m := range original {
			if m.Visit() == t.Visit() {
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
