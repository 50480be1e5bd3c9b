// Package cohort shows that many tests that fail together share one cause. It runs them in two
// orders that differ only in the cause. Confirming each test by itself would take several processes
// per test.
//
// A test is shown to have the cause only if it gave the wanted outcome in every run of both orders:
// in rerun fresh processes with the cause before the tests, and in as many without it. During the
// first run of each order, no other process runs. Skipped and unresolved outcomes show nothing. If
// other tests of the cohort change a test's outcome, the test may be missed. A test that needs the
// cause and also other tests of the cohort before it is shown, too. So diagnosis also runs each
// test directly after the cause, or all tests a second time in the opposite direction.
//
// The thresholds of detection, diagnosis and proof for cohorts are listed here. Detection compares
// the order that changed many outcomes with the same order without the likely causes (Compare).
// Diagnosis compares a confirmed cause followed by its tests with the tests alone (Confirm, a case
// of Compare). The thresholds were chosen, and tried on ormlite-core with 87 and 688 victims
// (docs/benchmarks).
package cohort

const (
	// Sample is the largest number of tests that are confirmed by themselves with all repeats. In a
	// larger cohort, this many tests are a sample of all. If the verdict is wrong for one test in
	// four, a sample of eight misses this in one of ten cases.
	Sample = 8
	// Large is the number of tests from which a cohort is confirmed by shared orders and a sample.
	// Fifty tests by themselves take at least 150 processes; the whole repair of ormlite-core's 87
	// victims takes 119.
	Large = 50
	// StartCost is the cost of starting a process, as a number of tests. In the suites of
	// docs/benchmarks, a process takes 0.4 to 1.3 s to start, and a test 3 to 30 ms.
	StartCost = 50
	// Attempts limits how often a shared order is tried if its process ends early or tests are
	// missing.
	Attempts = 3
	// CauseShare is the number of parts into which the remaining time is divided. One part is for
	// the cause of one member. The others are for members with another cause and for the search.
	CauseShare = 3
	// Fruitless is the number of members in a row without a shared cause after which the search in
	// a cohort stops.
	Fruitless = 3
)

// Cheaper reports whether two orders of this many tests, each run rerun times, take less time than
// running n tests alone.
func Cheaper(n, tests, rerun int) bool {
	return 2*rerun*(StartCost+tests) < n*max(1, rerun-1)*(StartCost+1)
}
