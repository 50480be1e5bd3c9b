package templates

import (
	"regexp"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// cause is what several failing tests have in common: the patch that fixes them, else the tests
// that make them fail.
type cause struct {
	tests []job.TestReport
	patch *job.Patch
	joint int // how many tests, at the end of the list, have only the shared orders of a cohort
}

// causes groups a report's failing tests in the report's order. Within a cause, tests with a
// minimal order of their own come first.
func causes(r *job.Report) []cause {
	var out []cause
	index := map[string]int{}
	failing, _ := r.Split()
	for _, t := range failing {
		p := r.Best(t.Test)
		key := causeKey(t, p)
		if i, ok := index[key]; ok {
			out[i].tests = append(out[i].tests, t)
			continue
		}
		index[key] = len(out)
		out = append(out, cause{tests: []job.TestReport{t}, patch: p})
	}
	for i := range out {
		var own, joint []job.TestReport
		for _, t := range out[i].tests {
			if r.Joint(&t) {
				joint = append(joint, t)
			} else {
				own = append(own, t)
			}
		}
		out[i].tests, out[i].joint = append(own, joint...), len(joint)
		if len(out[i].tests) > 1 {
			for k := range out[i].tests {
				out[i].tests[k].Reason = withoutCount(out[i].tests[k])
			}
		}
	}
	return out
}

// ordersRan is how many orders ran, in the reason of an undecided test.
var ordersRan = regexp.MustCompile(` \(\d+ orders? ran\)`)

// withoutCount returns the reason of a test. It leaves out how many orders ran if the test is
// undecided, so that several such tests have one reason.
func withoutCount(t job.TestReport) string {
	if t.Verdict != suite.Undecided {
		return t.Reason
	}
	return ordersRan.ReplaceAllString(t.Reason, "")
}

func causeKey(t job.TestReport, p *job.Patch) string {
	v := string(t.Verdict)
	switch {
	case p != nil:
		return "patch\n" + v + "\n" + p.RawDiff()
	case len(t.Polluters) > 0:
		return v + "\npolluter\n" + t.Polluters[0].Key()
	case len(t.StateSetters) > 0:
		return v + "\nsetter\n" + t.StateSetters[0].Key()
	case t.Verdict == suite.Undecided && len(t.Notes) == 0: // tests that were not examined share one block
		return v + "\nreason\n" + withoutCount(t) + "\n" + failure(t.Failure)
	}
	return v + "\ntest\n" + string(t.Test)
}
