// Package engine does jobs: fix, detect, pollution, verify, run, list and build.
//
// A job goes through phases: build, discover, diagnose, explain state, repair, prove. The report is
// filled in as results become known, so that a job that is stopped early still has its best result.
// The engine holds no credentials and communicates only with the processes that it starts.
package engine

import (
	"context"
	"fmt"

	"github.com/odfix/odfix/internal/job"
)

// Run does the job. It never fails: errors are part of the report. When the context ends, the
// report contains the best result so far.
func Run(ctx context.Context, j job.Job, o Options) *job.Report { return run(ctx, j, o, do) }

// do does a job of any kind.
func do(ctx context.Context, w *worker, r *job.Report) error {
	switch w.job.Kind {
	case "", job.KindFix:
		return fix(ctx, w, r)
	case job.KindRun:
		return runOrders(ctx, w, r)
	case job.KindVerify:
		return verify(ctx, w, r)
	case job.KindDetect:
		return detectTests(ctx, w, r)
	case job.KindBuild:
		return w.build(ctx)
	case job.KindPollution:
		return pollution(ctx, w, r)
	case job.KindList:
		return list(ctx, w, r)
	}
	return &job.Error{Code: "job-kind", Message: fmt.Sprintf("no such kind of job: %q", w.job.Kind)}
}
