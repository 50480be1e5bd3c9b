// Package dispatch gives jobs to runners and returns their events and one report. Local starts a
// runner as a process on this machine, Isolated starts one in a sandbox. Every other kind of
// dispatcher implements the same interface and passes the same tests (package dispatchtest).
//
// Invariants:
//   - Run always ends, at the latest after the job's budget and a bounded allowance.
//   - A report that the runner has written is never lost, whatever the runner does afterwards.
//   - When Run returns, no process of the runner is left.
//   - A runner's output is foreign input: it is bounded and checked.
package dispatch

import (
	"context"
	"errors"

	"github.com/odfix/odfix/internal/job"
)

// Dispatcher runs one job and returns its report.
//
// Events arrive one at a time, in order, and none after Run has returned; on may be nil. When ctx
// ends, the runner is asked for its best report so far, which has Finished unset. Without one, Run
// returns an error.
//
// Errors are of type *job.Error. If the report holds an Error, Run returns the report and no error.
type Dispatcher interface {
	Run(ctx context.Context, j job.Job, on func(job.Event)) (*job.Report, error)
}

// ErrUnanswered means that each runner that took the job was stopped. It says nothing about the
// job, which may be run again. But the job's code can cause it, so callers bound how often they do
// that.
var ErrUnanswered = errors.New("no runner answered")

// ErrLeave is the cause of the end of a context whose job may go on: this process stops, and the next
// one calls Run with the same job.Key. Dispatchers whose runners end with this process stop the job.
var ErrLeave = errors.New("the job may go on without this process")

// Codes of the errors of dispatchers.
const (
	CodeMissing = "runner-missing" // there is no runner to start
	CodeDied    = "runner-died"    // the runner ended without a report
	CodeOverdue = "runner-overdue" // no report in time, nor after the request to stop
	CodeSilent  = "runner-silent"  // no output for too long
	CodeGreedy  = "runner-greedy"  // used more than its limits
	CodeFull    = "runner-disk"    // the machine was full, though the job kept to its limits
	CodeStopped = "stopped"        // stopped from outside, without a report
	CodeGarbled = "runner-garbled" // output that is not in the wire format, or too much of it
	CodeVersion = "runner-version" // another version of the wire format
	CodeJob     = "bad-job"        // the job cannot be encoded
)
