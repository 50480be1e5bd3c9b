// Package engine does jobs: fix, detect, pollution, verify, run, list and build.
//
// A job goes through phases: build, discover, diagnose, explain state, repair, prove; other kinds of
// jobs have fewer. The report is filled in as results become known, so that a job that is stopped
// early still has its best result.
// The engine holds no credentials and communicates only with the processes that it starts.
package engine

import (
	"context"
	"fmt"

	"github.com/odfix/odfix/internal/engine/detection"
	"github.com/odfix/odfix/internal/engine/fix"
	"github.com/odfix/odfix/internal/engine/pollution"
	"github.com/odfix/odfix/internal/engine/proof"
	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
)

// Options are the settings of a run of the engine, in addition to the job.
type Options = session.Options

// Run does the job. It never fails: errors are part of the report. When the context ends, the
// report contains the best result so far.
func Run(ctx context.Context, j job.Job, o Options) *job.Report {
	return session.Run(ctx, j, o, do)
}

// do does a job of any kind.
func do(ctx context.Context, s *session.Session, r *job.Report) error {
	switch s.Job.Kind {
	case "", job.KindFix:
		return fix.Run(ctx, s, r)
	case job.KindRun:
		return runOrders(ctx, s, r)
	case job.KindVerify:
		return proof.Verify(ctx, s, r)
	case job.KindDetect:
		return detection.Run(ctx, s, r)
	case job.KindBuild:
		return s.Build(ctx)
	case job.KindPollution:
		return pollution.Run(ctx, s, r)
	case job.KindList:
		return list(ctx, s, r)
	}
	return &job.Error{Code: "job-kind", Message: fmt.Sprintf("no such kind of job: %q", s.Job.Kind)}
}
