package order

import (
	"iter"

	"github.com/odfix/odfix/internal/suite"
)

// IntraClassRows yields the tests of one class in the orders of its Tuscan
// square (see Tuscan), so that every test runs right before every other once.
// The list is taken as flat; a class whose order is fixed is the caller's to leave out.
func IntraClassRows(class suite.Order) iter.Seq[suite.Order] {
	return func(yield func(suite.Order) bool) {
		for row := range TuscanRows(len(class)) {
			o := make(suite.Order, len(row))
			for i, x := range row {
				o[i] = class[x]
			}
			if !yield(o) {
				return
			}
		}
	}
}
