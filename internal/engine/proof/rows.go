package proof

import (
	"iter"
	"slices"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// How many test executions a proof spends on the classes of the fixed tests. The number of
// executions in a Tuscan square grows with the cube of the class. All rows of a class with 24 tests
// fit, but only a few of one with 163 tests. Several classes share the executions, but each gets
// enough for all rows of 12 tests. The rows that are left out could show another test of the class
// that breaks a fixed test directly after it. neighbourOrders shows that too, in one process for
// each fixed test.
const (
	rowExecutions   = 600
	leastExecutions = 144
	neighbourVisits = 20
	// visitsPerProcess limits the visits in one order of neighbours.
	visitsPerProcess = 10
)

// square holds orders of the tests of a class: its Tuscan square.
type square struct {
	members suite.Order
	rows    iter.Seq[suite.Order]
	count   int  // how many rows there are
	nested  bool // the rows are those of nested groups, which keep together; see squareOf
}

// flatSquare returns the square in which each test runs directly after each other.
func flatSquare(members suite.Order) square {
	return square{members: members, count: order.TuscanCount(len(members)), rows: func(yield func(suite.Order) bool) {
		for places := range order.TuscanRows(len(members)) {
			row := make(suite.Order, len(members))
			for k, at := range places {
				row[k] = members[at]
			}
			if !yield(row) {
				return
			}
		}
	}}
}

// squareOf returns the square of a class. The tests of a nested group run together in each row. In
// all rows, each test, or nested group, runs directly after each other of the same group, where the
// framework can run it so.
func squareOf(members suite.Order, in *suite.Suite) square {
	if in == nil {
		return flatSquare(members)
	}
	root := part(in.Root, func(t suite.TestID) bool { return slices.Contains(members, t) })
	for root != nil && len(root.Children) == 1 {
		root = root.Children[0]
	}
	if root == nil || !slices.ContainsFunc(root.Children, func(n *suite.Node) bool { return n.Test == "" }) {
		return flatSquare(members)
	}
	rows, err := order.New(&suite.Suite{Root: root}, order.TechniqueIntraClass, order.Options{})
	if err != nil {
		return flatSquare(members)
	}
	return square{members: members, count: rows.Exact, rows: rows.Orders, nested: true}
}

// part returns the tree with these tests only; nil: it holds none of them.
func part(n *suite.Node, keep func(suite.TestID) bool) *suite.Node {
	if n == nil || n.Test != "" {
		if n == nil || !keep(n.Test) {
			return nil
		}
		return n
	}
	out := *n
	out.Children = nil
	for _, c := range n.Children {
		if c = part(c, keep); c != nil {
			out.Children = append(out.Children, c)
		}
	}
	if len(out.Children) == 0 {
		return nil
	}
	return &out
}

// rowsOf returns rows of the squares of the tests' classes, by class. Each row is cut after the last
// of the given tests, because later tests cannot affect them. The number of test executions limits
// the rows, which are spread evenly; zero means no limit. of is the number of all rows.
func rowsOf(squares []square, tests []suite.TestID, executions int) (byClass [][]suite.Order, of int) {
	if executions > 0 && len(squares) > 0 {
		executions = max(executions/len(squares), leastExecutions)
	}
	for _, s := range squares {
		var rows []suite.Order
		of += s.count
		step := 1
		if executions > 0 {
			step = max(1, (s.count*len(s.members)+executions-1)/executions)
		}
		i := -1
		for row := range s.rows {
			if i++; i%step != 0 {
				continue
			}
			if cut := lastOf(row, tests); cut > 0 {
				rows = append(rows, row[:cut:cut])
			}
		}
		byClass = append(byClass, rows)
	}
	return byClass, of
}

// neighbourOrders returns, for each test, orders in which other tests of its class run directly
// before it: [t1, v, t2, v, …]. Tests that run after it in every order are left out. A neighbour
// outside a nested group of the test begins an order, so that no order returns to this group.
// visits limits the neighbours of all orders, and perProcess those of one order. If there are more
// neighbours, a sample is used, spread evenly. Zero means no limit. The other results are the
// number of neighbours in the orders, and the number of all neighbours.
func neighbourOrders(g *suite.Groups, original suite.Order, tests []suite.TestID, visits,
	perProcess int) (out []suite.Order, asked, of int) {
	type neighbour struct{ t, v suite.TestID }
	var all []neighbour
	for _, members := range groupsOf(g, original, tests) {
		for _, v := range tests {
			for _, t := range members {
				if t != v && slices.Contains(members, v) && !g.Before(v, t) {
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
		if asked == 0 || out[len(out)-1][1] != n.v || len(out[len(out)-1]) >= 2*perProcess || g.Leaves(n.v, n.t, n.v) {
			out = append(out, nil)
		}
		out[len(out)-1] = append(out[len(out)-1], n.t, n.v)
		asked++
	}
	return out, asked, len(all)
}

// whole reports whether a proof runs all rows of the squares.
func whole(in *repair.ProofInput) bool {
	n := 0
	for _, rows := range in.Rows {
		n += len(rows)
	}
	return n > 0 && n == in.RowsOf
}

// groupsOf returns the tests of each outermost group that contains one of the given tests.
func groupsOf(g *suite.Groups, original suite.Order, tests []suite.TestID) []suite.Order {
	var out []suite.Order
	done := map[string]bool{}
	for _, t := range tests {
		if done[g.Top(t)] {
			continue
		}
		done[g.Top(t)] = true
		members := suite.Filter(original, func(m suite.TestID) bool { return g.Same(m, t) })
		if len(members) > 0 {
			out = append(out, members)
		}
	}
	return out
}

// lastOf returns the position after the last of the tests in o.
func lastOf(o suite.Order, tests []suite.TestID) int {
	for i := len(o) - 1; i >= 0; i-- {
		if slices.Contains(tests, o[i]) {
			return i + 1
		}
	}
	return 0
}
