package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/job"
	"github.com/odfix/odfix/internal/repair"
	"github.com/odfix/odfix/internal/state"
	"github.com/odfix/odfix/internal/suite"
)

// proving finds out whom the polluting tests break: a reader that passes alone and fails
// behind the test, in fresh processes, each repeated.
type proving struct {
	w     *worker
	p     *project
	found *state.Pollutions
	rerun int
	alone map[suite.TestID]bool // passes by itself
}

// group are polluting tests that leave the same behind: one of them is asked for all.
type group struct {
	by       []suite.TestID
	doubtful map[suite.TestID][]string
}

// breaks asks for each polluting test whether those break that read what it leaves.
func (w *worker) breaks(ctx context.Context, p *project, rel *state.Relation, found *state.Pollutions, r *job.Report) error {
	v := &proving{w: w, p: p, found: found, rerun: cmp.Or(w.job.Rerun, job.DefaultRerun), alone: map[suite.TestID]bool{}}
	groups := v.groups(rel)
	for i, g := range groups {
		w.say(job.Event{Test: g.by[0], Message: fmt.Sprintf("who breaks behind it: %d of %d states", i+1, len(groups)), Total: len(groups)})
		if err := v.ask(ctx, g); err != nil {
			if ctx.Err() != nil {
				r.Notes = append(r.Notes, fmt.Sprintf("Of %d different states that tests leave, %d were not tried on those who read them.", len(groups), len(groups)-i))
			}
			return err
		}
	}
	return nil
}

// groups are the polluting tests by what they leave, those with the fewest readers in doubt first.
func (v *proving) groups(rel *state.Relation) []group {
	doubts := rel.Doubts()
	index := map[string]int{}
	var out []group
	for _, t := range v.found.Tests {
		var places, lines []string
		for _, q := range t.Pollutes {
			if q.During != state.DuringSetup && !slices.Contains(places, q.Place) {
				places = append(places, q.Place)
			}
			lines = append(lines, q.Path+"\x00"+q.After)
		}
		doubtful := doubts.Of(t.Test, places)
		for d := range doubtful {
			if d == t.Test || !v.meet(t.Test, d) {
				delete(doubtful, d)
			}
		}
		if len(doubtful) == 0 {
			continue
		}
		slices.Sort(lines)
		key := strings.Join(lines, "\x01")
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, group{doubtful: doubtful})
		}
		out[i].by = append(out[i].by, t.Test)
	}
	slices.SortStableFunc(out, func(a, b group) int { return cmp.Compare(len(a.doubtful), len(b.doubtful)) })
	return out
}

// ask runs those in doubt behind the first test of the group, all in one process, forwards and
// backwards, and whoever fails there alone with it.
func (v *proving) ask(ctx context.Context, g group) error {
	behind := v.p.inOrder(g.doubtful)
	suspects := map[suite.TestID]bool{}
	for range 2 {
		run, err := v.p.Run(ctx, append(suite.Order{g.by[0]}, behind...), repair.Trial{Price: suite.Warm})
		if err != nil {
			return err
		}
		for i := 1; i < len(run.Order); i++ {
			if run.At(i).Outcome == suite.Fail {
				suspects[run.Order[i]] = true
			}
		}
		if len(behind) == 1 {
			break
		}
		behind = v.p.reversed(behind)
	}
	var proved suite.Order
	for _, t := range v.p.original {
		if !suspects[t] {
			continue
		}
		ok, err := v.proved(ctx, g.by[0], t)
		if err != nil {
			return err
		}
		if ok {
			proved = append(proved, t)
			v.found.Broken(g.by[0], t, g.doubtful[t])
		}
	}
	return v.others(ctx, g, proved)
}

// others asks the further tests of a group for one that they break, once each: that
// it passes alone, and fails where the state is as they leave it, is known.
func (v *proving) others(ctx context.Context, g group, proved suite.Order) error {
	for _, by := range g.by[1:] {
		i := slices.IndexFunc(proved, func(t suite.TestID) bool { return t != by && v.meet(by, t) })
		if i < 0 {
			continue
		}
		run, err := v.p.Run(ctx, suite.Order{by, proved[i]}, repair.Trial{Price: suite.Fresh})
		if err != nil {
			return err
		}
		if run.Last().Outcome == suite.Fail {
			v.found.Broken(by, proved[i], g.doubtful[proved[i]])
		}
	}
	return nil
}

// meet says whether the build runs both in one process.
func (v *proving) meet(a, b suite.TestID) bool { return !v.p.isolated || a.Visit() == b.Visit() }

// proved asks in fresh processes whether the test passes alone and fails behind the other one.
func (v *proving) proved(ctx context.Context, by, t suite.TestID) (bool, error) {
	if fails, err := v.always(ctx, suite.Order{by, t}, suite.Fail); err != nil || !fails {
		return false, err
	}
	if passes, ok := v.alone[t]; ok {
		return passes, nil
	}
	passes, err := v.always(ctx, suite.Order{t}, suite.Pass)
	if err == nil {
		v.alone[t] = passes
	}
	return passes, err
}

// always says whether the order's last test has the outcome, each time.
func (v *proving) always(ctx context.Context, o suite.Order, want suite.Outcome) (bool, error) {
	for i := range v.rerun {
		run, err := v.p.Run(ctx, o, repair.Trial{Price: suite.Fresh, Alone: i == v.rerun-1})
		if err != nil {
			return false, err
		}
		if got := run.Last().Outcome; got != want {
			v.w.log.Debug("not shown", zap.Any("order", o), zap.String("outcome", string(got)))
			return false, nil
		}
	}
	return true, nil
}

// inOrder are the tests in the suite's own order.
func (p *project) inOrder(tests map[suite.TestID][]string) suite.Order {
	var out suite.Order
	for _, t := range p.original {
		if _, ok := tests[t]; ok {
			out = append(out, t)
		}
	}
	return out
}

// reversed is the order backwards, classes in one piece.
func (p *project) reversed(o suite.Order) suite.Order {
	var out suite.Order
	parts := suite.ByVisit(o)
	slices.Reverse(parts)
	for _, part := range parts {
		part = slices.Clone(part)
		slices.Reverse(part)
		out = append(out, part...)
	}
	return out
}
