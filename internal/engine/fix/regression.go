package fix

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
	"github.com/odfix/odfix/internal/engine/session"
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
	noted bool              // the report says why
	// kept counts, by cause, tests that fail without the change, too; broken those that pass.
	kept, broken map[string]int
}

// Bounds on the comparison.
const (
	enoughCompared = 4       // tests of one cause that agree; the others of the cause are not compared
	maxDiff        = 4 << 20 // bytes of a diff
)

// olderCode returns the project before the job's change; nil: no production code changed.
func olderCode(ctx context.Context, s *session.Session, p *session.Module) (*before, error) {
	b := &before{kept: map[string]int{}, broken: map[string]int{}}
	diff := string(s.Job.Change)
	if s.Job.ChangedSince != "" {
		var err error
		diff, err = worktree.Diff(ctx, p.About.Root, s.Job.ChangedSince)
		if _, wrong := errors.AsType[*job.Error](err); wrong || ctx.Err() != nil {
			return nil, err
		}
		if err != nil { // nobody may have asked for the comparison
			b.why = "git does not show the change: " + err.Error()
			return b, nil
		}
	}
	if len(diff) > maxDiff {
		b.why = "the change is too large"
		return b, nil
	}
	read := func(path string) (string, error) {
		text, err := p.Base.Source(path)
		if errors.Is(err, os.ErrNotExist) {
			return "", nil // the change removed it
		}
		return text, err
	}
	files, lost := patch.Undo(diff, p.Base.IsProductionSource, read)
	if len(lost) > 0 {
		b.why = "the change of " + lost[0] + " does not fit the file"
		return b, nil
	}
	if len(files) == 0 {
		return nil, nil
	}
	s.Log.Debug("the change has production code", zap.Strings("files", sortedKeys(files)))
	b.files = files
	return b, nil
}

// regressions gives the verdict Regression to tests that pass without the change, in the order in
// which they fail with it. It returns the other results.
func (f *fixing) regressions(ctx context.Context, results []diagnose.TestResult, reports []job.TestReport) []diagnose.TestResult {
	b := f.before
	if b == nil {
		return results
	}
	defer f.noteNotCompared(results)
	return slices.DeleteFunc(results, func(r diagnose.TestResult) bool {
		key, c := cause(r)
		order := f.failingOrder(c)
		if key == "" || len(order) == 0 || b.kept[key] >= enoughCompared || b.why != "" {
			return false
		}
		passes := b.kept[key] == 0 && b.broken[key] >= enoughCompared
		if !passes {
			var err error
			if passes, err = f.passesBefore(ctx, r.Test, order); err != nil {
				b.why = f.whyNotCompared(ctx, err)
				return false
			}
			if passes {
				b.broken[key]++
			} else {
				b.kept[key]++
			}
		}
		if passes {
			f.regression(&reports[slices.IndexFunc(reports, func(t job.TestReport) bool { return t.Test == r.Test })])
		}
		return passes
	})
}

// passesBefore reports whether a test passes without the change, in fresh processes, in an order in
// which it fails with it. The tests before it must not fail. One that does may be a part of the change
// itself, and then it does not do with the earlier code what it does now.
func (f *fixing) passesBefore(ctx context.Context, t suite.TestID, order suite.Order) (bool, error) {
	b := f.before
	ctx, cancel := comparing(ctx)
	defer cancel()
	f.s.Say(job.Event{Test: t, Message: "comparing with the code before the change"})
	if b.site == nil {
		site, err := f.p.Base.Build(ctx, b.files)
		if err != nil {
			return false, err
		}
		b.site = site
	}
	for i := range f.in.Rerun {
		site := b.site
		if i == f.in.Rerun-1 {
			site = site.Alone()
		}
		run, err := site.Run(ctx, order)
		if err != nil {
			return false, err
		}
		for at := range order {
			if out := run.At(at).Outcome; out == suite.Fail || out == suite.Unresolved || at == len(order)-1 && out != suite.Pass {
				return false, nil
			}
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

// failingOrder is an order that ends with the first test of a cause and in which it fails: a short
// one, if one ran, else one that it shares with other tests. nil: none is known.
func (f *fixing) failingOrder(c repair.Cause) suite.Order {
	if len(c.Cases) == 0 {
		return nil
	}
	own := c.Cases[0]
	if !own.Joint {
		return own.Failing[0]
	}
	for _, shared := range f.r.SharedOrders() {
		if i := suite.Order(shared.Failing).Index(own.Test); i >= 0 && slices.Contains(shared.Tests, own.Test) {
			return shared.Failing[:i+1]
		}
	}
	return nil
}

// whyNotCompared is the reason why a test cannot run without the change; "" if only the job's time is
// over.
func (f *fixing) whyNotCompared(ctx context.Context, err error) string {
	f.s.Log.Info("not compared with the code before the change", zap.Error(err))
	if ctx.Err() != nil {
		return ""
	}
	if unfit, ok := errors.AsType[*repair.UnfitError](err); ok {
		return "the tests do not build with that code: " + first(unfit.Reason)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "there was no time"
	}
	return err.Error()
}

// noteNotCompared notes once why tests are not compared, if there is a test for which that matters.
func (f *fixing) noteNotCompared(results []diagnose.TestResult) {
	b := f.before
	matters := slices.ContainsFunc(results, func(r diagnose.TestResult) bool { return r.Verdict.OrderDependent() })
	if b.why == "" || b.noted || !matters {
		return
	}
	b.noted = true
	f.r.Notes = append(f.r.Notes, "The tests were not run with the code before the change, so a test that fails because of the change "+
		"may be reported as order-dependent. The reason: "+b.why+".")
}

// regression turns a report into that of a failure that came with the change.
func (f *fixing) regression(t *job.TestReport) {
	if f.early != nil && f.early.before.Test == t.Test { // its state does not matter any more
		f.early.stop()
		f.early = nil
		f.repairing.search.Forget(t.Test)
	}
	t.Notes = append(t.Notes, "If the code is right as it is now, the test depends on the order of tests: it "+
		strings.TrimSuffix(t.Reason, ".")+".")
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
