package detection

import (
	"context"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/ledger"
	"github.com/odfix/odfix/internal/suite"
)

// recall writes the results of earlier searches into the report. A detection goes on without them.
func (d *detection) recall(ctx context.Context) {
	earlier, err := d.ledger.Earlier(ctx)
	if err != nil {
		d.s.Log.Warn("reading earlier detections", zap.Error(err))
	}
	for _, s := range earlier {
		d.out.Earlier = append(d.out.Earlier, job.Earlier(s))
	}
}

// remember stores the result for later detections, if a search has begun.
func (d *detection) remember(ctx context.Context) {
	if d.ledger == nil || d.out.Orders == 0 {
		return
	}
	s := ledger.Search{Started: d.r.Started, Revision: d.r.Project.Revision, Tests: []suite.TestID{},
		Whole: d.out.Exhausted && d.opts.ChangedSince == ""}
	for _, f := range d.out.Finds {
		s.Tests = append(s.Tests, f.Test)
	}
	if err := d.ledger.Remember(context.WithoutCancel(ctx), s); err != nil {
		d.s.Log.Warn("keeping the result for later detections", zap.Error(err))
	}
}
