package order

import "github.com/odfix/odfix/internal/suite"

// Command is a way to run an order with a build tool alone.
type Command struct {
	File string   // a file that has to be written first; empty if there is none
	Text string   // the content of File
	Args []string // the command and its arguments, for a shell to quote
	// Exact is false if the tool cannot run the whole order as given. Why then says what the tool
	// decides itself.
	Exact bool
	Why   string
}

// Positions returns the positions of the tests in an order. If a test occurs twice, the last
// position counts.
func Positions(o suite.Order) map[suite.TestID]int {
	at := make(map[suite.TestID]int, len(o))
	for i, t := range o {
		at[t] = i
	}
	return at
}
