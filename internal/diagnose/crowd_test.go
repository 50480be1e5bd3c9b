package diagnose

import (
	"fmt"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestCleanersOfACrowd: a cleaner that is confirmed for eight victims is asked about
// once for each further one, and still believed only where it cleans.
func TestCleanersOfACrowd(t *testing.T) {
	w, p, v, c := polluted(4)
	truth := w.tests[v]
	failing := []suite.TestID{v}
	for i := range 14 {
		failing = append(failing, w.add(suite.TestID(fmt.Sprintf("m.More%02dTest#t", i)), truth))
	}
	clears := w.tests[c]
	w.tests[c] = func(p *proc) suite.Outcome { p.vars["cleaned"] = 1; return clears(p) }
	stubborn := w.add("z.LastTest#t", func(p *proc) suite.Outcome {
		return passIf(p.vars["cleaned"] == 0 && truth(p) == suite.Pass) // it does not stand the cleaner
	})
	failing = append(failing, stubborn)
	once, often := 0, 0
	for _, r := range w.diagnose(t, Input{Suite: w.suite(), Failing: failing, Seen: seen(w.all), Rerun: 2}).Tests {
		if r.Verdict != Victim {
			t.Errorf("%s is %s", r.Test, r.Verdict)
		}
		cleans := slices.ContainsFunc(r.Cleaners, func(x Cleaner) bool {
			return slices.Equal(x.Polluter, suite.Order{p}) && slices.Equal(x.Cleaner, suite.Order{c})
		})
		if cleans == (r.Test == stubborn) {
			t.Errorf("%s: cleaners %v", r.Test, r.Cleaners)
		}
		for _, a := range r.Evidence {
			switch {
			case !slices.Equal(a.Order, suite.Order{p, c, r.Test}):
			case a.Repeats == 1:
				once++
			default:
				often++
			}
		}
	}
	if often < crowd || once == 0 || once+often != len(failing)-1 {
		t.Errorf("asked several times for %d, once for %d", often, once)
	}
}
