// Package dispatch sends jobs to where runners run, and brings back events and
// one report. Local starts a process beside this one, Isolated one that
// reaches nothing but what its job needs; other places implement the same
// interface and pass the same tests (package dispatchtest).
//
// Invariants: Run always ends, by the job's budget and a bounded allowance at
// the latest; a report that was handed over is never lost, whatever the runner
// does afterwards; nothing of the runner lives on when Run has returned. What
// a runner says is foreign input: bounded, and checked before it is believed.
package dispatch

import (
	"context"

	"github.com/odfix/odfix/internal/job"
)

// Dispatcher runs one job and answers with its report.
//
// Events arrive one at a time, in order, and none after Run has returned; on
// may be nil. Ending ctx asks the runner for the best it has: a report then
// comes back as usual with Finished unset, or an error if there is none.
//
// An error is a *job.Error made for people. A report that holds an Error is an
// answer like any other: the error result is then nil.
type Dispatcher interface {
	Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error)
}

// Codes of the errors that dispatchers themselves make.
const (
	CodeMissing = "runner-missing" // there is no runner to start
	CodeDied    = "runner-died"    // ended without a report
	CodeOverdue = "runner-overdue" // did not answer in time, nor when told to stop
	CodeSilent  = "runner-silent"  // gave no sign of life
	CodeGreedy  = "runner-greedy"  // used more than it may
	CodeStopped = "stopped"        // stopped from outside, and nothing was handed over
	CodeGarbled = "runner-garbled" // said what cannot be understood, or too much
	CodeVersion = "runner-version" // speaks another version of the wire format
	CodeJob     = "bad-job"        // the job cannot be written down
)
