package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/diagnose"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
	"github.com/odfix/odfix/internal/worktree"
)

// A change of production code may break it such that only some orders show this: the test passes
// alone, because another test has to create the situation first. That is a bug, although its test
// looks like a victim. So each failing order also runs with the production code as it was before
// the change, and with the tests as they are. If the test then passes, the change is the reason.

// before is the project with the production code as it was before the job's change.
type before struct {
	files map[string]string // production code that changed, with its text before the change
	site  repair.Site       // nil: not built
	why   string            // why the comparison is not possible; "": it is
	kept  map[string]int    // by cause: tests that fail without the change, too
}

// maxKept is how many tests of one cause are compared that fail without the change, too. Further
// tests of the cause are not compared.
const maxKept = 4

// older returns the project before the job's change; nil: no production code changed.
func (w *worker) older(ctx context.Context, p *module) (*before, error) {
	diff := string(w.job.Change)
	if w.job.ChangedSince != "" {
		var err error
		if diff, err = worktree.Diff(ctx, p.about.Root, w.job.ChangedSince); err != nil {
			return nil, err
		}
	}
	read := func(path string) (string, error) {
		text, err := p.base.Source(path)
		if errors.Is(err, os.ErrNotExist) {
			return "", nil // the change removed it
		}
		return text, err
	}
	files := patch.Undo(diff, p.base.IsProductionSource, read)
	if len(files) == 0 {
		return nil, nil
	}
	w.log.Debug("the change has production code", zap.Strings("files", sortedKeys(files)))
	return &before{files: files, kept: map[string]int{}}, nil
}

// regressions gives the verdict Regression to tests that pass without the change, in the order in
// which they fail with it. It returns the other results.
func (f *fixing) regressions(ctx context.Context, results []diagnose.TestResult, reports []job.TestReport) []diagnose.TestResult {
	if f.before == nil {
		return results
	}
	return slices.DeleteFunc(results, func(r diagnose.TestResult) bool {
		key, c := cause(r)
		if key == "" || f.before.kept[key] >= maxKept {
			return false
		}
		passes, err := f.passesBefore(ctx, c)
		switch {
		case err != nil:
			f.notCompared(ctx, err)
		case !passes:
			f.before.kept[key]++
		default:
			i := slices.IndexFunc(reports, func(t job.TestReport) bool { return t.Test == r.Test })
			f.regression(&reports[i])
			return true
		}
		return false
	})
}

// passesBefore reports whether the test of a cause passes without the change, in fresh processes, in
// an order in which it fails with it.
func (f *fixing) passesBefore(ctx context.Context, c repair.Cause) (bool, error) {
	b := f.before
	if b.why != "" {
		return false, nil
	}
	ctx, cancel := comparing(ctx)
	defer cancel()
	f.w.say(job.Event{Test: c.Cases[0].Test, Message: "comparing with the code before the change"})
	if b.site == nil {
		site, err := f.p.base.Build(ctx, b.files)
		if err != nil {
			return false, err
		}
		b.site = site
	}
	order := failingOrder(c)
	for i := range f.in.Rerun {
		site := b.site
		if i == f.in.Rerun-1 {
			site = site.Alone()
		}
		run, err := site.Run(ctx, order)
		if err != nil {
			return false, err
		}
		if run.Last().Outcome != suite.Pass {
			return false, nil
		}
	}
	return true, nil
}

// comparing bounds the time for a comparison: half of what is left.
func comparing(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, time.Until(end)/2)
}

// failingOrder is a short order in which the first test of a cause fails.
func failingOrder(c repair.Cause) suite.Order {
	if own := c.Cases[0]; !own.Joint || len(c.Whole) == 0 {
		return own.Failing[0]
	}
	return c.Whole[0][:slices.Index(c.Whole[0], c.Cases[0].Test)+1]
}

// notCompared records once why tests cannot run without the change.
func (f *fixing) notCompared(ctx context.Context, err error) {
	f.w.log.Info("not compared with the code before the change", zap.Error(err))
	if ctx.Err() != nil || f.before.why != "" {
		return
	}
	unfit, ok := errors.AsType[*repair.UnfitError](err)
	switch {
	case ok:
		f.before.why = "the tests do not build with that code: " + first(unfit.Reason)
	case errors.Is(err, context.DeadlineExceeded):
		f.before.why = "there was no time"
	default:
		f.before.why = err.Error()
	}
	f.r.Notes = append(f.r.Notes, "The tests were not run with the code before the change, so a test that fails because of the change "+
		"may be reported as order-dependent. The reason: "+f.before.why+".")
}

// regression turns a report into that of a failure that came with the change.
func (f *fixing) regression(t *job.TestReport) {
	t.Notes = append(t.Notes, "If the code is right as it is now, the test depends on the order of tests: it "+strings.TrimSuffix(t.Reason, ".")+".")
	files := sortedKeys(f.before.files)
	named := strings.Join(files[:min(len(files), maxNamed)], ", ")
	if len(files) > maxNamed {
		named += fmt.Sprintf(" and %d more", len(files)-maxNamed)
	}
	t.Verdict = suite.Regression
	t.Reason = "passes in the same order with the code as it was before the change (" + named + ")"
}

// maxNamed is how many changed files are named.
const maxNamed = 5

// first is the first line of a text.
func first(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// close removes the copy of the project.
func (b *before) close() {
	if b != nil && b.site != nil {
		_ = b.site.Close()
	}
}
