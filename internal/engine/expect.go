package engine

import (
	"fmt"
	"math"
	"time"

	"github.com/odfix/odfix/internal/suite"
)

// What one cause costs in most projects, from the verdict to the proof: runs of all tests, and
// starts of a process that runs few tests (docs/benchmarks).
const (
	runsOfCause   = 6
	startsOfCause = 40
)

// expected says how long a fix will probably take. took is how long the tests took when they last
// ran, start how long a process takes to start and to load the tests.
func expected(tests int, took, start, budget time.Duration) string {
	if took <= 0 {
		return ""
	}
	each := runsOfCause*took + startsOfCause*start
	most := inMinutes(budget)
	if each >= budget {
		return fmt.Sprintf("%s took %s in the last run. One cause may take %s, which is more than the budget of %s.",
			suite.Count(tests, "test", "tests"), seconds(took), inMinutes(each), most)
	}
	return fmt.Sprintf("%s took %s in the last run. Each cause takes %s as a rule, and all %s at most.",
		suite.Count(tests, "test", "tests"), seconds(took), about(each), most)
}

func about(d time.Duration) string {
	if d < time.Minute {
		return inMinutes(d)
	}
	return "about " + inMinutes(d)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.0fs", math.Ceil(d.Seconds())) }

func inMinutes(d time.Duration) string {
	if d < time.Minute {
		return "less than a minute"
	}
	return suite.Count(int(math.Ceil(d.Minutes())), "minute", "minutes")
}
