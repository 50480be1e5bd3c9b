package repair

import (
	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// spare reports whether a check may be made of a part of the cured tests only: of more than
// cohort.Sample tests that one patch cures, each failing order is asked, with the patch and
// without, as often as of few only for the first so many, and once for the others; and by
// themselves run those whose class the patch changes, and so many others.
func (pr *prover) spare() bool { return !pr.in.All && len(pr.cures) > cohort.Sample }

// repeats is how often the failing order at a place of the list is asked on either side.
func (pr *prover) repeats(at int) int {
	if pr.spare() && at >= cohort.Sample {
		return 1
	}
	return max(1, pr.in.Repeats)
}

// runAlone are the cured tests that are run by themselves.
func (pr *prover) runAlone() []suite.TestID {
	if !pr.spare() {
		return pr.cures
	}
	var out, others []suite.TestID
	for _, t := range pr.cures {
		if pr.changes(t) {
			out = append(out, t)
		} else {
			others = append(others, t)
		}
	}
	n := min(cohort.Sample, len(others))
	for i := range n {
		out = append(out, others[i*len(others)/n])
	}
	return out
}

// changes reports whether the patch changes the file that holds the test.
func (pr *prover) changes(t suite.TestID) bool {
	for file := range pr.c.Built.Files {
		if pr.in.Groups.Holds(file, t) {
			return true
		}
	}
	return false
}
