package templates

import (
	"fmt"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// proofLine says in a line how patches were proved. The first test is shown for all.
func proofLine(t job.TestReport, patches []*job.Patch, together string) string {
	if len(patches) > 1 {
		s := fmt.Sprintf("each of the %d parts of the change for itself", len(patches))
		if together != "" {
			s += ", and " + together
		}
		return s + "; the first part: " + proofLine(t, patches[:1], "")
	}
	var with, without times
	others := map[job.Check]bool{} // each once, as the list of all checks has them
	for _, p := range patches {
		for _, c := range p.Proof.Checks {
			switch {
			case !c.OK:
			case c.Name == suite.CheckPasses:
				with.add(c.Repeats)
			case c.Name == suite.CheckFails:
				without.add(c.Repeats)
			default:
				others[c] = true
			}
		}
	}
	const where = "in fresh test processes, started as the project's own build starts them"
	if with.orders == 0 || without.orders == 0 {
		return count(len(others), "check") + plural(len(others), " holds ", " hold ") + where
	}
	s := fmt.Sprintf("%s, %s with the change (%s) and fails without it (%s)", where, failing(t, with.orders), with, without)
	if with.orders > 1 {
		s = fmt.Sprintf("%s, %s with the change (%s) and fail without it (%s)", where, failing(t, with.orders), with, without)
	}
	if len(others) > 0 {
		s += "; " + count(len(others), "other check") + " passed"
	}
	return s
}

// failing names the failing orders, with the verb "pass".
func failing(t job.TestReport, orders int) string {
	switch {
	case orders > 1:
		return fmt.Sprintf("the %d failing orders pass", orders)
	case t.Verdict == suite.Brittle && len(t.MinimalOrder) > 0: // else it has no orders of its own
		return "alone the test passes"
	}
	return "the failing order passes"
}

// times is how often each of several orders was run.
type times struct{ orders, least, most int }

func (t *times) add(n int) {
	if t.orders++; t.orders == 1 || n < t.least {
		t.least = n
	}
	t.most = max(t.most, n)
}

func (t times) String() string {
	if t.least < t.most {
		return fmt.Sprintf("in each of %d to %d runs", t.least, t.most)
	}
	return fmt.Sprintf("%d of %d runs", t.least, t.most)
}
