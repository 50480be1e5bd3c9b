package pollution

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"github.com/odfix/odfix/internal/engine/session"
	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// proving finds the tests that the polluting tests break: a reader that passes alone and fails
// after the polluting test, in fresh processes, each repeated.
type proving struct {
	s     *session.Session
	p     *session.Module
	rerun int
	most  int // limit on the broken tests proved for one state; 0: no limit

	mu     sync.Mutex
	found  *state.Pollutions
	alone  map[suite.TestID]bool // passes alone
	proved map[suite.TestID]bool // is proved to fail after some test
	tried  int                   // groups
}

// maxBroken is how many broken tests are proved for one state, unless all are requested.
const maxBroken = 5

// group is a set of polluting tests that leave the same state. One of them is run for all.
type group struct {
	by     []suite.TestID
	atRisk map[suite.TestID][]string
}

// breaks checks for each polluting test whether it breaks the tests that read the state that it
// leaves.
func (q *inspection) breaks(ctx context.Context, rel *state.Relation, found *state.Pollutions) error {
	v := &proving{s: q.s, p: q.p, found: found, rerun: cmp.Or(q.s.Job.Rerun, job.DefaultRerun), most: maxBroken,
		alone: map[suite.TestID]bool{}, proved: map[suite.TestID]bool{}}
	if q.s.Job.FindAll {
		v.most = 0
	}
	groups := v.groups(rel)
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(q.p.Parallel())
	for _, one := range groups {
		g.Go(func() error {
			if gctx.Err() != nil {
				return gctx.Err()
			}
			err := v.ask(gctx, one)
			v.mu.Lock()
			defer v.mu.Unlock()
			if err == nil {
				v.tried++
				q.s.Say(job.Event{Test: one.by[0],
					Message: fmt.Sprintf("looking for tests that fail: %d of %d states tried", v.tried, len(groups)), Total: len(groups)})
			}
			return err
		})
	}
	err := g.Wait()
	if ctx.Err() != nil {
		q.r.Notes = append(q.r.Notes, fmt.Sprintf("Of %d different states that tests leave, %d were not tried on the tests "+
			"that read them.", len(groups), len(groups)-v.tried))
		return ctx.Err()
	}
	return err
}

// groups returns the polluting tests, grouped by the state that they leave. Groups with the fewest
// candidate readers come first.
func (v *proving) groups(rel *state.Relation) []group {
	all := rel.AtRisk()
	index := map[string]int{}
	var out []group
	for _, t := range v.found.Tests {
		var fields, lines []string
		readers := map[suite.TestID]bool{}
		for _, q := range t.Pollutes {
			for _, f := range q.Fields() {
				if q.During != state.DuringSetup && !slices.Contains(fields, f) {
					fields = append(fields, f)
				}
			}
			lines = append(lines, q.Path+"\x00"+q.After)
			for _, d := range q.Readers {
				readers[d] = true
			}
		}
		atRisk, apart := all.Of(t.Test, fields), false
		for d := range atRisk {
			if readers[d] && !v.meet(t.Test, d) {
				apart = true
			}
			if !readers[d] || !v.meet(t.Test, d) {
				delete(atRisk, d)
			}
		}
		if len(atRisk) == 0 {
			continue
		}
		if apart { // another test that leaves the same may come before other readers
			for d := range atRisk {
				lines = append(lines, string(d))
			}
		}
		slices.Sort(lines)
		key := strings.Join(lines, "\x01")
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, group{atRisk: atRisk})
		}
		out[i].by = append(out[i].by, t.Test)
	}
	slices.SortStableFunc(out, func(a, b group) int { return cmp.Compare(len(a.atRisk), len(b.atRisk)) })
	return out
}

// ask runs the readers of a group directly after its first test. All of them run in one process,
// forwards and then backwards, those of the test's own group first: a process may have to run a
// group in one piece. Each reader that fails there then runs separately after that test.
func (v *proving) ask(ctx context.Context, g group) error {
	var own, others suite.Order
	for _, t := range v.inOrder(g.atRisk) {
		if v.p.Groups.Same(g.by[0], t) {
			own = append(own, t)
		} else {
			others = append(others, t)
		}
	}
	suspects := map[suite.TestID]bool{}
	for range 2 {
		if err := v.suspect(ctx, g.by[0], slices.Concat(own, others), suspects); err != nil {
			return err
		}
		if len(own)+len(others) == 1 {
			break
		}
		own, others = v.reversed(own), v.reversed(others)
	}
	var proved suite.Order
	for _, t := range v.p.Original {
		if !suspects[t] {
			continue
		}
		ok, err := v.breaksIn(ctx, g.by[0], t, g.atRisk[t])
		if err != nil {
			return err
		}
		if ok {
			proved = append(proved, t)
		}
		if len(proved) == v.most {
			break
		}
	}
	return v.others(ctx, g, proved)
}

// suspect runs the readers directly after a test, and adds those that fail. If no process can run
// them in this order, each reader runs in a process of its own.
func (v *proving) suspect(ctx context.Context, by suite.TestID, readers suite.Order, suspects map[suite.TestID]bool) error {
	run, err := v.p.Run(ctx, append(suite.Order{by}, readers...), repair.Trial{Price: suite.Warm})
	if err != nil {
		return err
	}
	if len(readers) > 1 && run.Crash == nil && run.At(0).Outcome == suite.Unresolved {
		for _, t := range readers {
			if err := v.suspect(ctx, by, suite.Order{t}, suspects); err != nil {
				return err
			}
		}
		return nil
	}
	for i, t := range readers {
		if run.At(i+1).Outcome == suite.Fail {
			suspects[t] = true
		}
	}
	return nil
}

// others checks for each further test of a group whether it breaks one of the tests already proved.
func (v *proving) others(ctx context.Context, g group, proved suite.Order) error {
	for _, by := range g.by[1:] {
		i := slices.IndexFunc(proved, func(t suite.TestID) bool { return t != by && v.meet(by, t) })
		if i < 0 {
			continue
		}
		if _, err := v.breaksIn(ctx, by, proved[i], g.atRisk[proved[i]]); err != nil {
			return err
		}
	}
	return nil
}

// meet reports whether the build can run t after the other test in one process.
func (v *proving) meet(by, t suite.TestID) bool {
	return (!v.p.About.Isolated || v.p.Groups.Same(by, t)) && !v.p.Groups.Before(t, by)
}

// breaksIn checks in fresh processes whether the test passes alone and fails after the other one. A
// test already proved to fail after one polluting test runs only once after the next one.
func (v *proving) breaksIn(ctx context.Context, by, t suite.TestID, fields []string) (bool, error) {
	v.mu.Lock()
	passes, known := v.alone[t]
	times := v.rerun
	if v.proved[t] {
		times = 1
	}
	v.mu.Unlock()
	if !known {
		var err error
		if passes, err = v.always(ctx, suite.Order{t}, suite.Pass, v.rerun); err != nil {
			return false, err
		}
	}
	fails := false
	if passes {
		var err error
		if fails, err = v.always(ctx, suite.Order{by, t}, suite.Fail, times); err != nil {
			return false, err
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.alone[t] = passes
	if fails {
		v.proved[t] = true
		v.found.Broken(by, t, fields)
	}
	return fails, nil
}

// always reports whether the order's last test has this outcome every time. The last run is
// exclusive.
func (v *proving) always(ctx context.Context, o suite.Order, want suite.Outcome, times int) (bool, error) {
	for i := range times {
		run, err := v.p.Run(ctx, o, repair.Trial{Price: suite.Fresh, Alone: i == times-1})
		if err != nil {
			return false, err
		}
		if got := run.Last().Outcome; got != want {
			v.s.Log.Debug("not shown", zap.Any("order", o), zap.String("outcome", string(got)))
			return false, nil
		}
	}
	return true, nil
}

// inOrder returns the tests in the suite's own order.
func (v *proving) inOrder(tests map[suite.TestID][]string) suite.Order {
	return suite.Filter(v.p.Original, func(t suite.TestID) bool {
		_, ok := tests[t]
		return ok
	})
}

// reversed returns the order backwards. The tests of a group stay together.
func (v *proving) reversed(o suite.Order) suite.Order {
	o = slices.Clone(o)
	slices.Reverse(o)
	return v.p.Groups.Together(o)
}
