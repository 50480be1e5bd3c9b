package repair

import (
	"github.com/odfix/odfix/internal/cohort"
	"github.com/odfix/odfix/internal/suite"
)

// spare reports whether checks may use a sample of the fixed tests. They do if one patch fixes more
// than cohort.Sample tests. Then the failing orders of the first cohort.Sample tests run as often
// as usual, and the other failing orders run once. Only the tests whose class the patch changes,
// and cohort.Sample others, run alone.
func (pr *prover) spare() bool { return !pr.in.All && len(pr.fixes) > cohort.Sample }

// repeats returns how often a failing order, given by its index, runs with the patch. It runs as
// often without it.
func (pr *prover) repeats(at int) int {
	if pr.spare() && at >= cohort.Sample {
		return 1
	}
	return max(1, pr.in.Repeats)
}

// runAlone returns the fixed tests that run alone.
func (pr *prover) runAlone() []suite.TestID {
	if !pr.spare() {
		return pr.fixes
	}
	var out, others []suite.TestID
	for _, t := range pr.fixes {
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
