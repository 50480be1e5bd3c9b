package repair

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/sourcegraph/conc/pool"
	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/budget"
	"github.com/odfix/odfix/internal/patch"
	"github.com/odfix/odfix/internal/suite"
)

// tray is a build of several statements in one spot, each with a switch.
type tray struct {
	p       *Patcher
	failing suite.Order // the order that passes if a statement that is switched on helps
	built   *Built
	made    []patch.Made
	likely  []int        // indices of statements that helped in a process that tried one after the other
	tried   map[int]bool // indices of statements that ran in a process of their own
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
// if none compiles.
func (p *Patcher) tray(ctx context.Context, cause Cause, batch []patch.Made, at spot) (*tray, error) {
	built, fit, err := p.fitting(ctx, batch, at)
	if err != nil || built == nil {
		return nil, err
	}
	t := &tray{p: p, failing: cause.Cases[0].Failing[0], built: built, made: fit, tried: map[int]bool{}}
	if len(fit) > 1 {
		hinting, cancel := context.WithTimeout(ctx, budget.Part(ctx, resetHints, resetHintShare))
		t.likely = p.hints(hinting, t.failing, built.Overlay, len(fit), resetWorks)
		cancel()
	}
	p.log().Info("statements that may restore the state", zap.String("place", string(at.location)), zap.Int("fit", len(fit)),
		zap.Int("of", len(batch)), zap.Ints("likely", t.likely))
	return t, nil
}

// helping runs the order once for each of these statements that was not tried yet, in its own
// process. It returns the first few with which the order passes.
func (t *tray) helping(ctx context.Context, which []int) ([]patch.Made, error) {
	var mu sync.Mutex
	var helps []int
	workers := pool.New().WithContext(ctx).WithMaxGoroutines(max(1, t.p.Runner.Parallel())).WithCancelOnError()
	for _, i := range which {
		if t.tried[i] {
			continue
		}
		t.tried[i] = true
		workers.Go(func(ctx context.Context) error {
			mu.Lock()
			enough := len(helps) >= resetWorks
			mu.Unlock()
			if enough {
				return nil
			}
			run, err := t.p.Runner.Run(ctx, t.failing, Trial{Price: suite.Warm, Overlay: t.built.Overlay, Switches: only(i, len(t.made))})
			if err != nil || run.Last().Outcome != suite.Pass {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			helps = append(helps, i)
			return nil
		})
	}
	err := workers.Wait()
	slices.Sort(helps)
	var out []patch.Made
	for _, i := range helps {
		out = append(out, t.made[i])
	}
	t.p.log().Info("tried statements that may restore the state", zap.Ints("which", which), zap.Any("help", out))
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
