package templates

import "github.com/odfix/odfix/internal/job"

// cause is what several failing tests have in common: the patch that cures
// them, else the tests that make them fail.
type cause struct {
	tests []job.TestReport
	patch *job.Patch
}

// causes groups a report's tests, in the report's order.
func causes(r *job.Report) []cause {
	var out []cause
	index := map[string]int{}
	for _, t := range r.Tests {
		p := r.Best(t.Test)
		key := causeKey(t, p)
		if i, ok := index[key]; ok {
			out[i].tests = append(out[i].tests, t)
			continue
		}
		index[key] = len(out)
		out = append(out, cause{[]job.TestReport{t}, p})
	}
	return out
}

func causeKey(t job.TestReport, p *job.Patch) string {
	v := string(t.Verdict)
	switch {
	case p != nil:
		return "patch\n" + p.RawDiff()
	case len(t.Polluters) > 0:
		return v + "\npolluter\n" + t.Polluters[0].Key()
	case len(t.StateSetters) > 0:
		return v + "\nsetter\n" + t.StateSetters[0].Key()
	}
	return v + "\ntest\n" + string(t.Test)
}
