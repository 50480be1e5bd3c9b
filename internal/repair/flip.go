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
	maxFlips = 24 // statements of a helper
	// flipTime limits the time of the repeated runs of the failing order. It is estimated from the
	// second run, because the first also loads the classes.
	flipTime = 20 * time.Second
)

// only returns the switches of n statements, of which these are on.
func only(n int, on ...int) string {
	out := []byte(strings.Repeat("0", n))
	for _, i := range on {
		out[i] = '1'
	}
	return string(out)
}

// flipped is the result of one process that ran an order repeatedly: with all statements if
// requested, with none, with each statement separately, and with none again.
type flipped struct {
	all, crashed bool  // the order passed with all; the process ended then
	each         []int // statements with which alone it passed, by position
	polluted     bool  // it failed without any, both times: the polluter pollutes the state anew each time
}

// flip runs such a process, and tries statements until enough helped. It ends early if the
// remaining runs could show nothing, or would take too long. The results for single statements are
// hints, because the effect of one statement may persist in the process.
func (p *Patcher) flip(ctx context.Context, o suite.Order, overlay string, n int, all bool, enough int) (got flipped, err error) {
	const every, first, last = -3, -2, -1 // special values of at: all statements or none are switched on
	at := first
	if all {
		at = every
	}
	err = p.Runner.Series(ctx, o, overlay, func(run *suite.Run) (string, bool) {
		if run != nil {
			passed := run.Last().Outcome == suite.Pass
			switch {
			case at == every:
				got.all, got.crashed = passed, run.Crash != nil
			case at == last:
				got.polluted = !passed
			case at >= 0 && passed:
				got.each = append(got.each, at)
			}
			tooLong := time.Duration(run.Nanos)*time.Duration(n+3) > flipTime
			switch {
			case run.Crash != nil, at == last, at == every && !passed, at == first && (passed || all && tooLong),
				at == 0 && !all && tooLong:
				return "", false
			case at == every:
				at = first
			case at == first:
				at = 0
			default:
				at++
			}
			if at == n || len(got.each) == enough {
				at = last
			}
		}
		if at == every {
			return strings.Repeat("1", n), true
		}
		if at >= 0 {
			return only(n, at), true
		}
		return only(n), true
	})
	return got, err
}

// hints returns the first of n statements with which the order passed in such a process, with one
// statement at a time.
func (p *Patcher) hints(ctx context.Context, o suite.Order, overlay string, n, enough int) []int {
	if !p.Runner.Serial() {
		return nil
	}
	got, err := p.flip(ctx, o, overlay, n, false, enough)
	if err != nil {
		p.log().Info("trying statements in one process", zap.Error(err))
	}
	if !got.polluted && len(got.each) > 0 { // the first may have restored the state for ever
		return got.each[:1]
	}
	return got.each
}
