// Package doctor judges an odfix that is to run as a GitHub App: what is wrong
// with its surroundings, what that costs, and how to fix it.
//
// It asks nobody anything and changes nothing. Whoever calls it brings what was
// seen, and gets findings, so that every judgement is a table in a test. No finding holds a
// secret.
package doctor

// Grade is how bad a finding is.
type Grade string

// The grades.
const (
	Good    Grade = "good"
	Warning Grade = "warning" // it works, and something is lost by it
	Bad     Grade = "bad"     // it does not work
)

// Finding is one thing that was looked at.
type Finding struct {
	What  string `json:"what"` // such as "database"
	Grade Grade  `json:"grade"`
	Says  string `json:"says"`
	Mend  string `json:"mend,omitempty"` // what to do; empty where it is good
}

func good(what, says string) Finding          { return Finding{what, Good, says, ""} }
func warning(what, says, mend string) Finding { return Finding{what, Warning, says, mend} }
func bad(what, says, mend string) Finding     { return Finding{what, Bad, says, mend} }

// Failed is a finding for what could not be looked at.
func Failed(what string, err error, mend string) Finding { return bad(what, err.Error(), mend) }

// Worst is the worst grade there is.
func Worst(list []Finding) Grade {
	worst := Good
	for _, f := range list {
		if f.Grade == Bad || f.Grade == Warning && worst == Good {
			worst = f.Grade
		}
	}
	return worst
}
