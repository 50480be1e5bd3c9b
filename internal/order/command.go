package order

import "github.com/odfix/odfix/internal/suite"

// Command is a way to run an order with a build tool alone.
type Command struct {
	File string   // a file to write first; empty: none
	Text string   // what it holds
	Args []string // the command and its arguments, for a shell to quote
	// Exact is false where the tool cannot run the whole order as it is. Why says what the tool
	// decides for itself.
	Exact bool
	Why   string
}

// Positions are the positions of the tests in an order. A test that stands twice has its last one.
func Positions(o suite.Order) map[suite.TestID]int {
	at := make(map[suite.TestID]int, len(o))
	for i, t := range o {
		at[t] = i
	}
	return at
}
