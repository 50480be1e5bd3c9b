// Package cohort shows that many tests, which fail together, share one cause. It runs them in two
// orders that differ in the cause only, where asking for each of them by itself takes several
// processes a test.
//
// A test is shown to have the cause only where it gave the wanted outcome in every run of both
// orders, rerun fresh processes each: with the cause in front, and without. The first run that is
// made of each order has no other process beside it. Skipped and unresolved outcomes show nothing.
// A test whose outcome other tests of the cohort change may be missed: it is left out of the
// answer. A test that needs the cause and, in front of it, others of the cohort is shown, too. So
// diagnosis runs each test directly after the cause as well, or all of them a second time in the
// opposite direction.
//
// The thresholds of detection, diagnosis and proof for cohorts stand in one table here. Detection
// compares the order that changed the outcomes of many tests with the same order without the likely
// causes (Compare); diagnosis compares a confirmed cause before its tests with the tests alone
// (Confirm, a case of Compare). All thresholds are chosen. They were tried on ormlite-core with 87
// and 688 victims (docs/benchmarks).
package cohort

const (
	// Sample is up to how many tests each are asked by themselves with all repeats, and how many of
	// a larger cohort stand for the others. With eight, a verdict that is wrong for one test in
	// four escapes all of them once in ten times.
	Sample = 8
	// Large is from how many tests on a cohort is confirmed by shared orders and a sample. Fifty
	// tests by themselves take 150 processes and more, where the whole repair of ormlite-core's 87
	// victims takes 119.
	Large = 50
	// StartCost is how many tests take about as long as starting a process: 0.4 to 1.3 s beside 3
	// to 30 ms for a test in the suites of docs/benchmarks.
	StartCost = 50
	// Attempts bounds how often a shared order is asked for whose process ends early, or that holds
	// missing tests.
	Attempts = 3
	// CauseShare is into how many parts the remaining time is divided: one part is for the cause of
	// one member, the others are for members with another cause and for the search.
	CauseShare = 3
	// Fruitless is after how many members in a row whose cause is not that of others the rest of a
	// cohort is left.
	Fruitless = 3
)

// Cheaper reports whether two orders of so many tests, each run rerun times, take less time than
// running n tests alone.
func Cheaper(n, tests, rerun int) bool {
	return 2*rerun*(StartCost+tests) < n*max(1, rerun-1)*(StartCost+1)
}
