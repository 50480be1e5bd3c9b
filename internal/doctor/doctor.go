// Package doctor assesses the machine of odfix, and the surroundings of a GitHub App: what is wrong,
// and how to fix it.
//
// Invariants: it changes nothing, and it reads only the disk of this machine. The caller passes in facts
// and gets findings, so a test of each finding is a row in a table. No finding contains a secret.
package doctor

// Grade is the severity of a finding.
type Grade string

// The grades.
const (
	Good    Grade = "good"
	Warning Grade = "warning" // odfix works, with a loss
	Bad     Grade = "bad"     // odfix does not work
)

// Finding is the result of one check.
type Finding struct {
	What   string `json:"what"` // such as "database"
	Grade  Grade  `json:"grade"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"` // empty: it is good
}

func good(what, detail string) Finding         { return Finding{what, Good, detail, ""} }
func warning(what, detail, fix string) Finding { return Finding{what, Warning, detail, fix} }
func bad(what, detail, fix string) Finding     { return Finding{what, Bad, detail, fix} }

// Failed is the finding of a check that failed with an error.
func Failed(what string, err error, fix string) Finding { return bad(what, err.Error(), fix) }

// Worst is the worst grade of the findings.
func Worst(list []Finding) Grade {
	worst := Good
	for _, f := range list {
		if f.Grade == Bad || f.Grade == Warning && worst == Good {
			worst = f.Grade
		}
	}
	return worst
}
