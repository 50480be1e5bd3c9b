package fix

import (
	"context"
	"slices"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/engine/proof"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/project"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/suite"
)

// alternativePart: a setting of the test runner may take one part in this many of the time that is
// left. It is no patch, so that no patch waits for it.
const alternativePart = 2

// alternative looks for a setting of the test runner that fixes at least as many causes as the best
// patch, and proves it. Only tests are asked about that may depend on state which a setting restores.
// If the time is not enough, the report names no alternative; this is no error.
func (m *Repairing) alternative(ctx context.Context) error {
	at, ok := m.p.Base.(project.Configurable)
	if !ok || !m.s.Job.Wants(job.FromReset) {
		return nil
	}
	tests, settings := m.configurable(at)
	limited, cancel := context.WithTimeout(ctx, budget.Share(ctx, alternativePart))
	defer cancel()
	harmful := "" // a setting with which another test gets worse
	for _, setting := range settings {
		if job.Includes(setting, harmful) {
			m.s.Log.Info("setting left out", zap.String("setting", setting), zap.String("it does what does harm", harmful))
			continue
		}
		m.s.Enter(job.PhaseProve)
		found, worse, err := m.setting(limited, at, setting, tests)
		if err != nil {
			m.s.Log.Warn("a setting of the test runner", zap.String("setting", setting), zap.Error(err))
			return ctx.Err()
		}
		if found != nil {
			m.r.Alternative = found
			return nil
		}
		if worse {
			harmful = setting
		}
	}
	return nil
}

// configurable returns the tests that may depend on state which a setting restores, with orders of
// their own, and these settings.
func (m *Repairing) configurable(at project.Configurable) (tests []*job.TestReport, settings []string) {
	wanted := map[string]bool{}
	for i := range m.r.Tests {
		t := &m.r.Tests[i]
		if t.Verdict != suite.Victim || m.r.Joint(t) {
			continue
		}
		may := at.Settings(suite.AppendNew(slices.Clone(t.State), m.search.Ways(t.Test)...))
		for _, s := range may {
			wanted[s] = true
		}
		if len(may) > 0 {
			tests = append(tests, t)
		}
	}
	return tests, suite.Filter(job.Settings, func(s string) bool { return wanted[s] })
}

// setting returns the alternative of a setting, or nil if it fixes less than the best patch, or its
// proof does not hold. worse says that another test gets worse with it.
func (m *Repairing) setting(ctx context.Context, at project.Configurable, setting string, tests []*job.TestReport) (
	found *job.Alternative, worse bool, err error) {
	site, err := at.Configured(setting)
	if err != nil {
		return nil, false, err
	}
	defer func() {
		if err := site.Close(); err != nil {
			m.s.Log.Warn("closing the project with a setting", zap.Error(err))
		}
	}()
	m.s.Say(job.Event{Message: "trying " + setting + " in the configuration of the test runner"})
	fixed, err := fixedAt(ctx, site, tests)
	if err != nil || len(fixed) == 0 || causesFixed(m.r, fixed) < m.mostCauses(tests) {
		return nil, false, err
	}
	in := m.inputFor(fixed, nil)
	in.Strict = true // it is no patch, so that no time is spent on what may do harm
	out := &job.Alternative{Setting: setting, Fixes: fixed}
	if out.Proof, worse, err = proof.Setting(ctx, m.s, m.p, site, fixed, in); err != nil || !out.Proof.Proved {
		return nil, worse, err
	}
	return out, false, nil
}

// fixedAt returns the tests that pass at the site in each of their failing orders.
func fixedAt(ctx context.Context, site repair.Site, tests []*job.TestReport) ([]suite.TestID, error) {
	passes := make([]bool, len(tests))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(max(1, site.Parallel()))
	for i, t := range tests {
		g.Go(func() error {
			for _, o := range proof.FailingOrders(*t) {
				run, err := site.Run(gctx, o)
				if err != nil || run.Last().Outcome != suite.Pass {
					return err
				}
			}
			passes[i] = true
			return nil
		})
	}
	var out []suite.TestID
	err := g.Wait()
	for i, t := range tests {
		if passes[i] {
			out = append(out, t.Test)
		}
	}
	return out, err
}

// mostCauses is how many causes the best patch for one of the tests fixes.
func (m *Repairing) mostCauses(tests []*job.TestReport) int {
	most := 0
	for _, t := range tests {
		if p := m.r.Proved(t.Test); p != nil {
			most = max(most, causesFixed(m.r, p.Fixes))
		}
	}
	return most
}

// causesFixed counts the causes of which all tests are among these.
func causesFixed(r *job.Report, tests []suite.TestID) int {
	fixed, left := map[string]bool{}, map[string]bool{}
	for i := range r.Tests {
		t := &r.Tests[i]
		if !t.Verdict.OrderDependent() || len(t.Polluters)+len(t.StateSetters) == 0 {
			continue
		}
		key := "setter\n"
		first := slices.Concat(t.StateSetters, t.Polluters)[0]
		if t.Verdict == suite.Victim {
			key, first = "polluter\n", t.Polluters[0]
		}
		if key += first.Key(); slices.Contains(tests, t.Test) {
			fixed[key] = true
		} else {
			left[key] = true
		}
	}
	for key := range left {
		delete(fixed, key)
	}
	return len(fixed)
}
