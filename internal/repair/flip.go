package repair

import (
	"context"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/odfix/odfix/internal/suite"
)

// Bounds on trying statements in one process.
const (
	maxFlips = 24               // statements
	flipTime = 20 * time.Second // what the failing order, run again and again, may take at most, by its second run: the first loads the classes
)

// lasts reports whether running an order so often, by what it took this time, would take too long.
func lasts(run *suite.Run, times int) bool {
	return time.Duration(run.Nanos)*time.Duration(times) > flipTime
}

// flip reports whether the failing order passes with the whole list, as the first run of a
// process says. The same process goes on with none of the statements, with each by itself, and with
// none once more: where none leaves the test failing both times, the polluter has polluted the
// state anew each time, and a statement that is enough by itself shows. That is a hint, which
// spares most searches; a patch made of it is tried like any other.
func (t *trier) flip(ctx context.Context, ids []string) (ok bool, err error) {
	masks := []string{t.switches(ids), t.switches(nil)}
	for _, id := range ids {
		masks = append(masks, t.switches([]string{id}))
	}
	masks = append(masks, t.switches(nil))
	var passed []bool
	broke := false
	err = t.p.Lab.Series(ctx, t.failing[0], t.built.Overlay, func(last *suite.Run) (string, bool) {
		if last != nil {
			passed = append(passed, last.Last().Outcome == suite.Pass)
			broke = last.Crash != nil
		}
		switch n := len(passed); {
		case n == 0:
			return masks[0], true
		case n == len(masks), n == 1 && !passed[0], n == 2 && (passed[1] || lasts(last, len(masks))):
			return "", false
		default:
			return masks[n], true
		}
	})
	if err == nil && broke && len(passed) == 1 {
		return t.passes(ctx, ids) // a process that ended says nothing of the list
	}
	if err != nil || len(passed) == 0 || !passed[0] {
		return false, err
	}
	if len(passed) == len(masks) && !passed[len(passed)-1] {
		for i, id := range ids {
			if passed[i+2] && len(t.s.close(ids, ids[i:i+1])) == 1 {
				t.lone = id // the last one: what puts state right tends to stand at a helper's end
			}
		}
	}
	return true, nil
}

// only switches on one of so many statements; none where i is negative.
func only(i, of int) string {
	on := []byte(strings.Repeat("0", of))
	if i >= 0 {
		on[i] = '1'
	}
	return string(on)
}

// hints are those of n statements, by their positions, with which alone the order passed in a
// process that tried one after the other until enough did: without any, with each, without any once
// more. Nothing is concluded from it: a process in which a statement helps for ever, or harms,
// misleads.
func (p *Patcher) hints(ctx context.Context, o suite.Order, overlay string, n, enough int) (helped []int) {
	if !p.Lab.Serial() {
		return nil
	}
	at, last := -1, false // the statement that is switched on
	err := p.Lab.Series(ctx, o, overlay, func(run *suite.Run) (string, bool) {
		if run == nil {
			return only(at, n), true
		}
		passed := run.Last().Outcome == suite.Pass
		if passed && at >= 0 {
			helped = append(helped, at)
		}
		switch {
		case run.Crash != nil, at < 0 && !last && passed, at == 0 && lasts(run, n):
			return "", false
		case last && passed:
			helped = helped[:min(1, len(helped))] // nothing spoils the state any more: the first may have seen to that
			return "", false
		case last:
			return "", false
		}
		if at++; at == n || len(helped) == enough {
			at, last = -1, true
		}
		return only(at, n), true
	})
	if err != nil {
		p.log().Info("trying statements in one process", zap.Error(err))
	}
	return helped
}
