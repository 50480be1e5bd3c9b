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

// expected says how long a fix will probably take. known is what is known so far, took how long all
// tests take, start how long a process takes to start and to load the tests.
func expected(known string, took, start, budget time.Duration) string {
	each := causeTakes(took, start)
	most := inMinutes(budget)
	if each > budget {
		return fmt.Sprintf("%s. One cause may take %s, and odfix stops after %s; --budget gives it more.", known, inMinutes(each), most)
	}
	return fmt.Sprintf("%s. Each cause takes %s as a rule, and all %s at most.", known, about(each), most)
}

// causeTakes is how long one cause takes as a rule.
func causeTakes(took, start time.Duration) time.Duration {
	return runsOfCause*took + startsOfCause*start
}

// lastRun says how long all tests took when they last ran.
func lastRun(tests int, took time.Duration) string {
	return fmt.Sprintf("%s took %s in the last run", suite.Count(tests, "test", "tests"), seconds(took))
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
