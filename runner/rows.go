package main

import (
	"slices"

	"github.com/odfix/odfix/internal/order"
	"github.com/odfix/odfix/internal/suite"
)

// rowsOf are the rows of the Tuscan squares of the tests' classes, each cut
// behind the last of the tests in question: what runs later cannot matter to them.
func rowsOf(original suite.Order, tests []suite.TestID) []suite.Order {
	var out []suite.Order
	done := map[string]bool{}
	for _, t := range tests {
		class := t.Visit()
		if done[class] {
			continue
		}
		done[class] = true
		var members suite.Order
		for _, m := range original {
			if m.Visit() == class {
				members = append(members, m)
			}
		}
		for places := range order.TuscanRows(len(members)) {
			row := make(suite.Order, len(members))
			for i, at := range places {
				row[i] = members[at]
			}
			if cut := lastOf(row, tests); cut > 0 {
				out = append(out, row[:cut])
			}
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
