package main

import (
	"slices"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/suite"
)

// The exit statuses of `odfix fix` and `odfix verify`.
const (
	exitOK            = 0
	exitError         = 1
	exitUsage         = 2
	exitNoPatch       = 3
	exitGenuine       = 4
	exitFlaky         = 5
	exitNotReproduced = 6
)

// exitStopped is the exit status of every command that a signal ended before its work was complete,
// as shells report it of Ctrl-C.
const exitStopped = 130

// The exit statuses of `odfix run`. Errors have their own status, so that a script that expects a
// failing test does not mistake a broken build for it.
const (
	runPassed     = 0
	runFailed     = 1
	runUnresolved = 3
	runError      = 4
)

// fixCode returns the exit status for a report: the worst of all tests. 1 is worse than 3, 3 is
// worse than 4, and so on; 0 means success.
func fixCode(r *job.Report) int {
	if r.Error != nil || len(r.Tests) == 0 {
		return exitError
	}
	return worstTest(r)
}

// errorCode returns the exit status for an error before a job was sent.
func errorCode(e *job.Error) int {
	switch e.Code {
	case codeNoFailure:
		return exitNotReproduced
	case codeNoJestReport:
		return exitUsage
	}
	return exitError
}

func worstTest(r *job.Report) int {
	worst := exitOK
	failing, _ := r.Split()
	for _, t := range failing {
		if c := testCode(r, t); c != exitOK && (worst == exitOK || c < worst) {
			worst = c
		}
	}
	return worst
}

func testCode(r *job.Report, t job.TestReport) int {
	switch {
	case t.Verdict.OrderDependent() && r.Proved(t.Test) != nil:
		return exitOK
	case t.Verdict.OrderDependent():
		return exitNoPatch
	case t.Verdict == suite.Genuine, t.Verdict == suite.Regression:
		return exitGenuine
	case t.Verdict == suite.FlakyOther:
		return exitFlaky
	case t.Verdict == suite.NotReproduced:
		return exitNotReproduced
	}
	return exitError
}

// verifyCode returns 0 if every patch of the report is proved again.
func verifyCode(r *job.Report) int {
	if r.Error != nil || !r.Finished {
		return exitError
	}
	patches := 0
	for _, t := range r.Tests {
		for _, p := range t.Patches {
			if patches++; !p.Proof.Proved {
				return exitNoPatch
			}
		}
	}
	if patches == 0 {
		return exitError
	}
	if r.Combined != nil && !r.Combined.Proof.Proved || r.Alternative != nil && !r.Alternative.Proof.Proved {
		return exitNoPatch
	}
	return exitOK
}

// runCode judges the named tests, or all tests if none is named. Every named test must have passed.
// Without names, no test may have failed.
func runCode(r *job.Report, named []suite.TestID) int {
	if r.Error != nil || len(r.Runs) == 0 {
		return runError
	}
	judged := map[suite.TestID]bool{}
	for _, t := range named {
		judged[t] = true
	}
	code := runPassed
	for _, run := range r.Runs {
		if len(judged) == 0 && len(run.ClassFailures) > 0 {
			code = max(code, runFailed) // as in the build, where the failure belongs to no test
		}
		for i := range run.Order {
			if len(judged) == 0 || judged[run.Order[i]] {
				code = worseRun(code, run.At(i).Outcome, len(judged) > 0)
			}
		}
	}
	return code
}

// eachFails returns runPassed if each of the named tests failed at every position.
func eachFails(r *job.Report, named []suite.TestID) int {
	if r.Error != nil || len(r.Runs) == 0 {
		return runError
	}
	code := runPassed
	for _, run := range r.Runs {
		for i := range run.Order {
			switch out := run.At(i).Outcome; {
			case !slices.Contains(named, run.Order[i]) || out == suite.Fail:
			case out == suite.Unresolved:
				code = max(code, runUnresolved)
			default:
				code = max(code, runFailed)
			}
		}
	}
	return code
}

// worseRun compares two statuses. A test without a result is worse than a failure, because nothing
// is known about it.
func worseRun(code int, o suite.Outcome, must bool) int {
	switch {
	case o == suite.Pass, o == suite.Skip && !must:
		return code
	case o == suite.Fail:
		return max(code, runFailed)
	}
	return max(code, runUnresolved)
}
