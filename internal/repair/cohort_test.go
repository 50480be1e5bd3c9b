package repair

import (
	"fmt"
	"slices"
	"testing"

	"github.com/odfix/odfix/internal/suite"
)

// TestCohortSample checks that tests whose class the patch changes run alone, and a sample of the
// others. If there are few, or nothing may be left out, all tests run alone.
func TestCohortSample(t *testing.T) {
	tests := func(n int) []suite.TestID {
		var out []suite.TestID
		for i := range n {
			out = append(out, suite.TestID(fmt.Sprintf("p.V%dTest$Inner#t", i)))
		}
		return out
	}
	for _, c := range []struct {
		fixes, runAlone int
		all             bool
	}{{1, 1, false}, {8, 8, false}, {9, 9, false}, {40, 9, false}, {40, 40, true}} {
		pr := &prover{fixes: tests(c.fixes), in: ProofInput{Groups: groups, Repeats: 3, All: c.all},
			c: &Candidate{Built: &Built{Files: map[string]string{"lib/src/test/java/p/V5Test.java": ""}}}}
		got := pr.runAlone()
		if len(got) != c.runAlone || c.fixes > 5 && !slices.Contains(got, pr.fixes[5]) {
			t.Errorf("of %d: %v", c.fixes, got)
		}
		seen := map[suite.TestID]bool{}
		for _, x := range got {
			if seen[x] {
				t.Errorf("%s twice", x)
			}
			seen[x] = true
		}
		if few := c.fixes <= 8 || c.all; pr.repeats(0) != 3 || pr.repeats(8) != map[bool]int{true: 3, false: 1}[few] {
			t.Errorf("of %d: %d and %d times", c.fixes, pr.repeats(0), pr.repeats(8))
		}
	}
}
