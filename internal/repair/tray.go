package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/sourcegraph/conc/pool"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// tray is a build of several statements in one spot, each with a switch. If several are on, one that
// throws does not keep the others from running.
type tray struct {
	p       *Patcher
	search  *resets
	failing suite.Order // the order that passes if a statement that is switched on helps
	at      spot
	built   *Built
	made    []patch.Made
	hinted  bool
	ready   bool  // it is compiled
	likely  []int // indices of statements that helped in a process that tried one after the other

	mu     sync.Mutex
	tried  map[int]bool    // indices of statements that ran in a process of their own
	groups map[string]bool // whether the order passed with a group of statements, by its switches
}

// upTo returns the indices of the first n statements.
func (t *tray) upTo(n int) []int {
	out := make([]int, min(n, len(t.made)))
	for i := range out {
		out[i] = i
	}
	return out
}

// tray compiles the batch in a spot, without statements that do not compile there. It returns nil
// if none compiles, and the same tray if the search is resumed.
func (p *Patcher) tray(ctx context.Context, cause Cause, batch []patch.Made, at spot) (*tray, error) {
	search := p.resume(cause)
	trays := search.trays
	key := fmt.Sprintf("%s %s %q", at.location, at.at, texts(batch))
	if t, is := trays[key]; is {
		return t, nil
	}
	built, fit, err := p.fitting(ctx, batch, at)
	if err != nil {
		return nil, err
	}
	if built == nil {
		trays[key] = nil
		return nil, nil
	}
	t := &tray{p: p, search: search, failing: cause.Cases[0].Failing[0], at: at, built: built, made: fit, tried: map[int]bool{}, groups: map[string]bool{}}
	trays[key] = t
	p.log().Info("statements that may restore the state", zap.String("place", string(at.location)), zap.Int("fit", len(fit)),
		zap.Int("of", len(batch)), zap.Strings("statements", texts(fit)))
	return t, nil
}

// hint tries all statements in one process, one after the other, unless the first ones are all.
func (t *tray) hint(ctx context.Context, search *resets) {
	if t.hinted || len(t.made) <= resetFirst || search.slow {
		return
	}
	t.hinted = true
	hinting, cancel := context.WithTimeout(ctx, min(resetHints, budget.Share(ctx, 2)))
	defer cancel()
	t.likely = t.p.hints(hinting, t.failing, t.built.Overlay, len(t.made), resetWorks)
	search.slow = hinting.Err() != nil && ctx.Err() == nil
	t.p.log().Info("statements that may restore the state, in one process", zap.Ints("likely", t.likely))
}

// texts returns the statements of the proposals.
func texts(made []patch.Made) []string {
	var out []string
	for _, m := range made {
		out = append(out, strings.Join(m.Statements, " "))
	}
	return out
}

// compile runs the order once without any statement if the first run compiles the edit. The time
// for trying statements does not count meanwhile: a run that it cuts off shows nothing of the
// statement. Where that was quick once, later edits are not compiled apart.
func (t *tray) compile(ctx context.Context) error {
	if t.ready || !t.p.CompilesLate || t.search.quick {
		return nil
	}
	defer budget.Pause(ctx)()
	compiling, cancel := context.WithTimeout(ctx, budget.Share(ctx, compileShare))
	defer cancel()
	began := time.Now()
	_, err := t.p.Runner.Run(compiling, t.failing, Trial{Price: suite.Warm, Overlay: t.built.Overlay, Switches: only(len(t.made))})
	if compiling.Err() != nil && ctx.Err() == nil {
		return ErrResetTime
	}
	t.ready = err == nil
	t.search.quick = t.ready && time.Since(began) < resetLate
	return err
}

// likeliest tries the first few statements.
func (t *tray) likeliest(ctx context.Context) ([]patch.Made, error) {
	if err := t.compile(ctx); err != nil {
		return nil, err
	}
	return t.helping(ctx, t.upTo(resetFirst))
}

// first tries the likeliest statements, and then those that helped in a process that tried them all.
func (t *tray) first(ctx context.Context, search *resets) ([]patch.Made, error) {
	if ok, err := t.likeliest(ctx); len(ok) > 0 || err != nil {
		return ok, err
	}
	t.hint(ctx, search)
	return t.helping(ctx, t.likely)
}

// passes runs the order in a new process, with these statements switched on. A statement after a
// polluter must not make it fail, as one does that throws.
func (t *tray) passes(ctx context.Context, which []int) (bool, error) {
	run, err := t.p.Runner.Run(ctx, t.failing, Trial{Price: suite.Warm, Overlay: t.built.Overlay, Switches: only(len(t.made), which...)})
	if err != nil {
		return false, err
	}
	if run.Last().Outcome != suite.Pass {
		return false, nil
	}
	at := lastIndex(t.failing, t.at.at)
	if at < 0 || run.At(at).Outcome == suite.Pass {
		return true, nil
	}
	without, err := t.without(ctx) // the polluter may fail by itself
	return err == nil && without.At(at).Outcome == run.At(at).Outcome, err
}

// without returns the run of the order without any statement.
func (t *tray) without(ctx context.Context) (run *suite.Run, err error) {
	t.search.running.Lock()
	defer t.search.running.Unlock()
	if t.search.unpatched == nil {
		t.search.unpatched, err = t.p.Runner.Run(ctx, t.failing, Trial{Price: suite.Warm})
	}
	return t.search.unpatched, err
}

// helping runs the order once for each of these statements that was not tried yet, in its own
// process. It returns the first few with which the order passes. Once one is found, it does not
// wait for a statement that takes several times as long, such as one that waits for something for
// ever.
func (t *tray) helping(ctx context.Context, which []int) ([]patch.Made, error) {
	which = slices.DeleteFunc(slices.Clone(which), func(i int) bool { return t.tried[i] })
	if len(which) == 0 {
		return nil, nil
	}
	var helps []int
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	var late *time.Timer
	workers := pool.New().WithContext(waiting).WithMaxGoroutines(max(1, t.p.Runner.Parallel())).WithCancelOnError()
	for _, i := range which {
		workers.Go(func(trying context.Context) error {
			t.mu.Lock()
			enough := len(helps) >= resetWorks
			t.mu.Unlock()
			if enough || waiting.Err() != nil {
				return nil
			}
			began := time.Now()
			passed, err := t.passes(trying, []int{i})
			if err != nil && waiting.Err() != nil && ctx.Err() == nil {
				return nil // it took too long; it may be tried again
			}
			if err != nil {
				return err
			}
			t.mu.Lock()
			defer t.mu.Unlock()
			t.tried[i] = true
			if passed {
				helps = append(helps, i)
				if late == nil {
					late = time.AfterFunc(max(resetLate, resetLateTimes*time.Since(began)), stop)
				}
			}
			return nil
		})
	}
	err := workers.Wait()
	if late != nil {
		late.Stop()
	}
	slices.Sort(helps)
	var out []patch.Made
	for _, i := range helps {
		out = append(out, t.made[i])
	}
	t.p.log().Info("tried statements that may restore the state", zap.Ints("which", which), zap.Strings("help", texts(out)))
	return out, err
}

// fitting builds the statements of the batch that compile in a spot, and returns them. It returns
// nil if none compiles. The error is an *UnfitError if this took too long to find out, or if no
// statement can stand in the spot.
func (p *Patcher) fitting(ctx context.Context, batch []patch.Made, at spot) (*Built, []patch.Made, error) {
	for range resetFits {
		if len(batch) == 0 {
			break
		}
		all := together(batch)
		built, err := p.Editor.Build(ctx, Edit{Made: &all, Keep: all.IDs(), Switched: true, Location: at.location,
			At: at.at, Style: patch.Inline})
		var unfit *UnfitError
		switch {
		case err == nil:
			return built, batch, nil
		case !errors.As(err, &unfit) || unfit.Unknown:
			return nil, nil, err
		case len(unfit.Culprits) == 0:
			p.log().Info("statements do not fit", zap.String("place", string(at.location)), zap.Error(err))
			return nil, nil, err
		}
		var fit []patch.Made
		for i, m := range batch {
			if !slices.Contains(unfit.Culprits, fmt.Sprintf("0.%d", i)) {
				fit = append(fit, m)
			}
		}
		if len(fit) == len(batch) {
			return nil, nil, nil
		}
		batch = fit
	}
	return nil, nil, nil
}
